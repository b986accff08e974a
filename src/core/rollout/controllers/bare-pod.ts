import { Controller } from './controller.js';

/** A pod that no controller makes: it is created once, when it is sent. */
export class BarePod extends Controller {
  sync(): void {
    // Nobody replaces it.
  }

  get desiredPods(): number {
    return 1;
  }

  get counts(): Readonly<Record<string, number>> {
    return {};
  }
}
