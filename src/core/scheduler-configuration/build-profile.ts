import { aggregateText } from '../kubernetes/error-aggregate.js';
import { EXTENSION_POINTS, type ExtensionPoint } from '../placement/extension-point.js';
import { argumentsOf } from '../placement/plugin-arguments.js';
import type { DefaultedProfile, WeightedName } from './configuration-types.js';
import { ALL } from './default-plugins.js';
import { pointsOf } from './plugin-registry.js';

/**
 * How out-of-tree plugins are handled: the profile cannot be built, as in a kube-scheduler without them; or they keep
 * their positions, as in one that has them.
 */
export type OutOfTreePlugins = 'refuse' | 'keep';

/** The plugins of a profile in calling order, and the weights of its scores. */
export interface BuiltProfile {
  readonly enabled: Readonly<Record<ExtensionPoint, readonly string[]>>;
  readonly weights: ReadonlyMap<string, number>;
}

/** A profile that decodes and validates, but from which no scheduler can be built. */
export class ProfileBuildError extends Error {
  override readonly name = 'ProfileBuildError';
}

/** Points that require exactly one plugin, or at least one; an unknown plugin does not count as one of these. */
const NOT_TAKEN_FOR_GRANTED: ReadonlySet<ExtensionPoint> = new Set(['queueSort', 'bind']);

/**
 * Builds a profile's framework: which plugins are called at each point, and in which order.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/runtime/framework.go, `NewFramework`.
 *
 * @throws {ProfileBuildError}
 */
export function buildProfile(profile: DefaultedProfile, outOfTree: OutOfTreePlugins): BuiltProfile {
  return new ProfileBuilder(profile, outOfTree).build();
}

class ProfileBuilder {
  private readonly enabled = Object.fromEntries(EXTENSION_POINTS.map((point) => [point, []])) as unknown as Record<
    ExtensionPoint,
    readonly string[]
  >;
  /** The plugins that are named at a point, or for all points. */
  private readonly needed: ReadonlySet<string>;

  constructor(
    private readonly profile: DefaultedProfile,
    private readonly outOfTree: OutOfTreePlugins,
  ) {
    const sets = Object.values(profile.plugins);
    this.needed = new Set(sets.flatMap(({ enabled = [] }) => enabled.map(({ name }) => name)));
  }

  build(): BuiltProfile {
    this.initialize();
    for (const point of EXTENSION_POINTS) this.enabled[point] = this.namedAt(point);
    const { enabled: everywhere } = this.profile.plugins.multiPoint;
    if (everywhere !== undefined) {
      for (const point of EXTENSION_POINTS) this.expand(point, everywhere);
    }
    const name = JSON.stringify(this.profile.schedulerName);
    if (this.enabled.queueSort.length !== 1) {
      const got = this.enabled.queueSort.length;
      this.fail(`only one queue sort plugin required for profile with scheduler name ${name}, but got ${got}`);
    }
    if (this.enabled.bind.length === 0) {
      this.fail(`at least one bind plugin is needed for profile with scheduler name ${name}`);
    }
    return { enabled: this.enabled, weights: this.weigh() };
  }

  /** Initializes plugins: some detect faults in their arguments only then. */
  private initialize(): void {
    for (const { name, known, args } of this.profile.pluginConfig) {
      if (!known || !this.needed.has(name)) continue;
      const errors = argumentsOf(name)?.validateWhenMade?.(args) ?? [];
      if (errors.length > 0) this.fail(`initializing plugin "${name}": ${aggregateText(errors)}`);
    }
  }

  private exists(plugin: string): boolean {
    return pointsOf(plugin) !== undefined || this.outOfTree === 'keep';
  }

  private implements(plugin: string, point: ExtensionPoint, named: boolean): boolean {
    return pointsOf(plugin)?.includes(point) ?? (named || !NOT_TAKEN_FOR_GRANTED.has(point));
  }

  /** `updatePluginList`: the plugins enabled at the point itself. */
  private namedAt(point: ExtensionPoint): readonly string[] {
    const names = new Set<string>();
    for (const { name } of this.profile.plugins[point].enabled ?? []) {
      if (!this.exists(name)) this.fail(`${typeOf(point)} ${JSON.stringify(name)} does not exist`);
      if (!this.implements(name, point, true)) {
        this.fail(`plugin ${JSON.stringify(name)} does not extend ${typeOf(point)} plugin`);
      }
      if (names.has(name)) this.fail(alreadyRegistered(name, point));
      names.add(name);
    }
    return [...names];
  }

  /**
   * `expandMultiPointPlugins`: plugins that are enabled both at the point and for all points come first, in the point's
   * order; then the others of all points; then the others of the point.
   */
  private expand(point: ExtensionPoint, everywhere: readonly WeightedName[]): void {
    const disabled = new Set((this.profile.plugins[point].disabled ?? []).map(({ name }) => name));
    if (disabled.has(ALL)) return;
    const named = this.enabled[point];
    const enabledHere = new Set(named);
    const overridden = new Set<string>();
    const added = new Set<string>();
    for (const { name } of everywhere) {
      if (!this.exists(name)) this.fail(`${typeOf(point)} ${JSON.stringify(name)} does not exist`);
      if (!this.implements(name, point, false) || disabled.has(name)) continue;
      if (enabledHere.has(name)) overridden.add(name);
      else if (added.has(name)) this.fail(alreadyRegistered(name, point));
      else added.add(name);
    }
    const first = named.filter((name) => overridden.has(name));
    const last = named.filter((name) => !overridden.has(name));
    this.enabled[point] = [...first, ...added, ...last];
  }

  /**
   * `getScoreWeights`: a weight at the point takes precedence over one for all points, and an absent one is 1. The sum
   * is an int64, so a negative weight makes the next one overflow.
   */
  private weigh(): ReadonlyMap<string, number> {
    const { score, multiPoint } = this.profile.plugins;
    const weights = new Map<string, number>();
    let total = 0n;
    const weighed = [
      ...(score.enabled ?? []).map((plugin) => ({ ...plugin, named: true })),
      ...(multiPoint.enabled ?? []).map((plugin) => ({ ...plugin, named: false })),
    ];
    for (const { name, weight, named } of weighed) {
      if (!this.implements(name, 'score', named) || weights.has(name)) continue;
      weights.set(name, weight === 0 ? 1 : weight);
      const most = BigInt(weight === 0 ? 1 : weight) * MAX_NODE_SCORE;
      if (most > BigInt.asIntN(64, MAX_TOTAL_SCORE - total)) {
        this.fail('score plugins: total score of Score plugins could overflow');
      }
      total += most;
    }
    return weights;
  }

  private fail(message: string): never {
    throw new ProfileBuildError(message);
  }
}

const MAX_NODE_SCORE = 100n;
const MAX_TOTAL_SCORE = 2n ** 63n - 1n;

/** The name of the Go interface of an extension point. */
const typeOf = (point: ExtensionPoint): string => `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;

const alreadyRegistered = (name: string, point: ExtensionPoint): string =>
  `plugin ${JSON.stringify(name)} already registered as ${JSON.stringify(typeOf(point))}`;
