/** A condition for handling requests. */
export interface ReadinessCheck {
  readonly name: string;
  /** Resolves if the condition is met, rejects otherwise. */
  check(): Promise<void>;
}

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
}

/** Runs all checks in parallel; a check that times out fails. */
export class Readiness {
  constructor(
    private readonly checks: readonly ReadinessCheck[],
    private readonly timeoutMs = 2000,
  ) {}

  async report(): Promise<ReadinessReport> {
    const checks = await Promise.all(this.checks.map(async (one) => ({ name: one.name, ok: await this.holds(one) })));
    return { ready: checks.every(({ ok }) => ok), checks };
  }

  private async holds(readiness: ReadinessCheck): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        resolve(false);
      }, this.timeoutMs);
    });
    const answer = readiness.check().then(
      () => true,
      () => false,
    );
    return Promise.race([answer, timeout]).finally(() => {
      clearTimeout(timer);
    });
  }
}
