/* The face, drawn. */
#include "font.h"

#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789,.-/()";
#define PER_PLATE 14
#define PLATES 3
#define PITCH (FONT_WIDTH + 1)

/* Letters side by side, a blank column between them. */
static const char *const plates[PLATES][FONT_HEIGHT] = {
    {
        "      #               #         ##        #       #      #  #      ##              ",
        "      #               #        #  #       #                 #       #              ",
        " ###  ####   ###   ####  ###   #     #### ####   ##     ##  #  #    #   ## #  #### ",
        "    # #   # #   # #   # #   # ####  #   # #   #   #      #  # #     #   # # # #   #",
        " #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # # #   #",
        "#   # #   # #   # #   # #      #    #   # #   #   #      #  # #     #   # # # #   #",
        " #### ####   ###   ####  ###   #     #### #   #  ###     #  #  #   ###  # # # #   #",
        "                                        #             #  #                         ",
        "                                     ###               ##                          ",
    },
    {
        "                               #                                         ###    #  ",
        "                               #                                        #   #  ##  ",
        " ###  ####   #### # ##   #### ####  #   # #   # #   # #   # #   # ##### #  ##   #  ",
        "#   # #   # #   # ##  # #      #    #   # #   # # # #  # #  #   #    #  # # #   #  ",
        "#   # #   # #   # #      ###   #    #   # #   # # # #   #   #   #   #   ##  #   #  ",
        "#   # #   # #   # #         #  #  # #  ##  # #  # # #  # #  #   #  #    #   #   #  ",
        " ###  ####   #### #     ####    ##   ## #   #    # #  #   #  #### #####  ###   ### ",
        "      #         #                                               #                  ",
        "      #         #                                            ###                   ",
    },
    {
        " ###  #####    #  #####   ##  #####  ###   ###                        #    #   #   ",
        "#   #    #    ##  #      #        # #   # #   #                       #   #     #  ",
        "    #   #    # #  ####  #        #  #   # #   #                      #   #       # ",
        "   #     #  #  #      # ####    #    ###   ####                     #    #       # ",
        "  #       # #####     # #   #  #    #   #     #             #####  #     #       # ",
        " #    #   #    #  #   # #   #  #    #   #    #    #    ##         #       #     #  ",
        "#####  ###     #   ###   ###   #     ###   ##     #    ##         #        #   #   ",
        "                                                 #                                 ",
        "                                                                                   ",
    },
};

bool font_pixel(char letter, int x, int y)
{
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (!found)
        return false;
    int index = (int)(found - letters);
    return plates[index / PER_PLATE][y][index % PER_PLATE * PITCH + x] != ' ';
}
