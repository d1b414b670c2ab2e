/* The regulator on the board: for each reading of the sensor, what the heater is set to. */
#include "cortex_m4.h"
#include "readings.h"
#include "regulator.h"

static regulator_step_state state; /* all that is kept from call to call; there is no heap */

int main(void) {
    regulator_step_init(&state);
    for (int k = 0; k < READINGS; k++) {
        double power;
        const int status = regulator_step(&state, readings[k], WANTED, &power);
        if (status) {
            print_text("error\n");
            return status;
        }
        print_bits(power);
    }
    return 0;
}
