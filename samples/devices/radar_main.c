/* The tracker as a program for Linux: measurements come in, one on a line, and the track goes out, as exact numbers. */
#include "radar.h"

#include <stdio.h>

int main(void) {
    static radar_measure_state state;
    static radar_measure_workspace workspace;
    double measured[2], place[4];
    radar_measure_init(&state);
    while (scanf("%lf %lf", &measured[0], &measured[1]) == 2) {
        radar_measure_error error;
        const int status = radar_measure(&state, measured, place, &error, &workspace);
        if (status) {
            fprintf(stderr, "%s\n", radar_measure_message(status));
            return 1;
        }
        printf("%a %a %a %a\n", place[0], place[1], place[2], place[3]);
    }
    return 0;
}
