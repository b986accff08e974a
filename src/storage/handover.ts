/**
 * What a producer offers, one value ahead of the consumer, so that both work at the same time. An offer tells whether more is wanted: leaving
 * the loop early ends the producer.
 */
export async function* handedOver<Value>(
  produce: (offer: (value: Value) => Promise<boolean>) => Promise<void>,
): AsyncGenerator<Value, void, undefined> {
  const handover = new Handover<Value>();
  const producing = produce((value) => handover.offer(value)).then(
    () => handover.end(),
    (error: unknown) => handover.fail(error),
  );
  try {
    for (let value = await handover.take(); value !== undefined; value = await handover.take()) yield value;
  } finally {
    handover.leave();
    await producing;
  }
}

/** Passes values from a producer to a consumer, one value ahead, so that both work at the same time. */
class Handover<Value> {
  private value: Value | undefined;
  private state: 'open' | 'ended' | 'failed' | 'left' = 'open';
  private error: unknown;
  private wake: () => void = () => undefined;

  /** Waits until the previous value is taken. @returns false if the consumer has left */
  async offer(value: Value): Promise<boolean> {
    while (this.value !== undefined && this.state !== 'left') await this.change();
    if (this.state === 'left') return false;
    this.value = value;
    this.wake();
    return true;
  }

  /** @returns undefined after the last value */
  async take(): Promise<Value | undefined> {
    while (this.value === undefined) {
      if (this.state === 'failed') throw this.error;
      if (this.state !== 'open') return undefined;
      await this.change();
    }
    const { value } = this;
    this.value = undefined;
    this.wake();
    return value;
  }

  end(): void {
    if (this.state === 'open') this.state = 'ended';
    this.wake();
  }

  fail(error: unknown): void {
    if (this.state === 'open') this.state = 'failed';
    this.error = error;
    this.wake();
  }

  leave(): void {
    this.state = 'left';
    this.wake();
  }

  private change(): Promise<void> {
    return new Promise<void>((resolve) => {
      const before = this.wake;
      this.wake = () => {
        before();
        resolve();
      };
    });
  }
}
