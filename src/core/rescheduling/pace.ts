/** About half a millisecond of work: costs are rough, and may be several times as much. */
const SLICE = 500;

/** Adds up work and signals when to let other code run. Costs are rough, in microseconds. */
export class Pace {
  private spent = 0;

  isDue(cost: number): boolean {
    this.spent += cost;
    if (this.spent < SLICE) return false;
    this.spent = 0;
    return true;
  }
}
