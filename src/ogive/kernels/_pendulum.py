"""The pendulum that is to be swung up and held, one step of it.

θ' = ω, ω' = (g / l) sin θ − (μ ω − u) / (m l²) with m = l = 1; θ is 0 upright and kept in [−π, π]. The
semi-implicit rule moves ω first and θ by the new ω: it keeps the energy of the free pendulum within bounds
for ever. The explicit rule moves θ by the old ω and gains energy in every step.

Doya (2000), Reinforcement learning in continuous time and space.
"""

import math

from ogive.jit import kernel

# Places in the array of numbers that describes a pendulum.
STEP, GRAVITY, FRICTION, TORQUE, SPEED, EXPLICIT, BOTTOM, TURNS, BOOTSTRAP = range(9)


@kernel
def first_angle(uniform, bottom):
    """Where an episode begins: anywhere, by a number in [0, 1), or hanging down."""
    return math.pi if bottom else (2.0 * uniform - 1.0) * math.pi


@kernel
def pendulum_step(angle, speed, action, sine, step, gravity, friction, torque, explicit):
    """Angle (not wrapped) and speed after one step; the action is in units of the largest torque, beyond which it is cut.

    `sine` is that of the angle, which whoever calls has already. All numbers have one type, which is kept.
    """
    pushed = min(max(torque * action, -torque), torque)
    faster = speed + step * (gravity * sine - friction * speed + pushed)
    return angle + step * (speed if explicit else faster), faster
