/* {value type, nx, ny, iterations, recurrence residual, true residual, norm 2 of the solution, Re and
 * Im of its middle entry} */
{FUR_F32, 83, 61, 21, 0x1.2214a7a705fa9p-17, 0x1.222345a4267fbp-17, 0x1.b9de30e0763e2p+1, 0x1.0ea0dap-5, 0x0p+0},
{FUR_F64, 83, 61, 44, 0x1.acb898d65519ap-34, 0x1.acb898c6d2e55p-34, 0x1.b9de2e33a4e53p+1, 0x1.0ea0af21f435bp-5, 0x0p+0},
{FUR_C64, 83, 61, 21, 0x1.efc3d2404b068p-18, 0x1.efdb8f41ade26p-18, 0x1.11aa40a5852a1p+2, -0x1.2c36b2p-5, 0x1.b75e4ap-6},
{FUR_C128, 83, 61, 44, 0x1.74883253d60bbp-34, 0x1.74883206b9ce6p-34, 0x1.11aa412ebc1c4p+2, -0x1.2c370180c7448p-5, 0x1.b75d44838e299p-6},
