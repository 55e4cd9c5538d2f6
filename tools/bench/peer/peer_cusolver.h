/* cuSOLVER where the system has it, found when it is asked for. */
#ifndef FURROW_TOOLS_PEER_CUSOLVER_H
#define FURROW_TOOLS_PEER_CUSOLVER_H

/* Its reverse Cuthill-McKee, which runs on the host, on host arrays with indices from 0. A status
 * is an int that is 0 for success. */
typedef struct peer_cusolver {
    void *handle; /* NULL: not there */
    void *description;
    int (*destroy)(void *handle);
    int (*destroy_description)(void *description);
    int (*symrcm)(void *handle, int n, int entries, const void *description, const int *offsets,
                  const int *columns, int *order);
} peer_cusolver;

peer_cusolver peer_cusolver_open(void);
void peer_cusolver_close(peer_cusolver *cusolver);

#endif
