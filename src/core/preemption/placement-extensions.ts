import { defined } from '../collections/defined.js';
import { evaluateNode } from '../placement/evaluate-placement.js';
import type { Placement, PluginOutcome } from '../placement/placement.js';
import {
  ERROR,
  SUCCESS,
  UNKNOWN,
  UNRESOLVABLE,
  UNSCHEDULABLE,
  type PreFilterExtensions,
  type StatusCode,
} from '../placement/plugin.js';
import type { RejectionStatus } from '../placement/reason.js';

/** Creates the PreFilter extensions of a node, for the pod of one placement. */
export type MakeExtensions = (node: number, pods: readonly number[]) => PreFilterExtensions;

/**
 * All filters of a placement on one node, while pods of the node are removed and added again. A filter that does not depend on
 * pods keeps its result, one with extensions updates its counts, and any other is evaluated again on a state without the
 * removed pods.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/runtime/framework.go, `RunFilterPluginsWithNominatedPods`.
 */
export function extensionsOf(placement: Placement): MakeExtensions {
  const asked = placement.plugins.filter(
    ({ filter, passesAll }) => filter !== undefined && (filter.preFilterExtensions !== undefined || passesAll !== true),
  );
  const unchangingOnes = asked.filter(({ filter }) => filter?.preFilterExtensions === undefined);
  const changing = asked.filter(({ filter }) => filter?.preFilterExtensions !== undefined);
  const alone = changing.length === 1 ? changing[0]!.filter?.preFilterExtensions : undefined;
  const refuses = ({ statuses }: PluginOutcome, node: number): boolean => statuses?.[node] !== SUCCESS;
  return (node, pods) => {
    if (typeof alone === 'function' && !unchangingOnes.some((plugin) => refuses(plugin, node))) {
      return alone(node, pods);
    }
    const parts: { readonly plugin: PluginOutcome; readonly extensions: PreFilterExtensions }[] = [];
    for (const plugin of asked) {
      const made = plugin.filter?.preFilterExtensions;
      if (made === undefined) {
        if (refuses(plugin, node)) parts.push({ plugin, extensions: unchanging(plugin, node) });
        continue;
      }
      parts.push({
        plugin,
        extensions:
          made === 'reevaluate' ? new ReevaluatingExtensions(placement, [plugin.name], node, pods) : made(node, pods),
      });
    }
    return together(parts);
  };
}

/** The same, but evaluates every filter again for each change; tests compare the faster way with it. */
export const reevaluatingExtensionsOf =
  (placement: Placement): MakeExtensions =>
  (node, pods) =>
    new ReevaluatingExtensions(placement, placement.input.filterNames, node, pods);

/** Combines filters in calling order: the first refusal decides, and a refusal takes precedence over an unknown result. */
function together(
  parts: readonly { readonly plugin: PluginOutcome; readonly extensions: PreFilterExtensions }[],
): PreFilterExtensions {
  const refusing = ():
    | { readonly plugin: PluginOutcome; readonly extensions: PreFilterExtensions; readonly code: StatusCode }
    | undefined => {
    for (const { plugin, extensions } of parts) {
      const code = extensions.status();
      if (code !== SUCCESS && code !== UNKNOWN) return { plugin, extensions, code };
    }
    return undefined;
  };
  return {
    removePod: (place) => {
      for (const { extensions } of parts) extensions.removePod(place);
    },
    addPod: (place) => {
      for (const { extensions } of parts) extensions.addPod(place);
    },
    status: () =>
      refusing()?.code ?? (parts.some(({ extensions }) => extensions.status() === UNKNOWN) ? UNKNOWN : SUCCESS),
    messages: () => {
      const found = refusing();
      if (found === undefined) return [];
      const messages = found.extensions.messages();
      return found.code === ERROR
        ? messages.map((message) => `running ${JSON.stringify(found.plugin.name)} filter plugin: ${message}`)
        : messages;
    },
  };
}

function unchanging({ filter, statuses }: PluginOutcome, node: number): PreFilterExtensions {
  return {
    removePod: () => undefined,
    addPod: () => undefined,
    status: () => (statuses?.[node] ?? SUCCESS) as StatusCode,
    messages: () =>
      filter === undefined
        ? []
        : [...new Set(filter.commonReasons(filter.commonReasonKey(node)).map(({ message }) => message))],
  };
}

const CODES: Readonly<Record<RejectionStatus, StatusCode>> = {
  Unschedulable: UNSCHEDULABLE,
  UnschedulableAndUnresolvable: UNRESOLVABLE,
  Error: ERROR,
  Unknown: UNKNOWN,
};

class ReevaluatingExtensions implements PreFilterExtensions {
  private readonly gone = new Set<number>();
  private answer: { readonly code: StatusCode; readonly messages: readonly string[] } | undefined;

  constructor(
    private readonly placement: Placement,
    private readonly filterNames: readonly string[] | undefined,
    private readonly node: number,
    private readonly pods: readonly number[],
  ) {}

  readonly removePod = (place: number): void => {
    this.gone.add(this.pods[place]!);
    this.answer = undefined;
  };

  readonly addPod = (place: number): void => {
    this.gone.delete(this.pods[place]!);
    this.answer = undefined;
  };

  readonly status = (): StatusCode => this.ask().code;

  readonly messages = (): readonly string[] => this.ask().messages;

  private ask(): NonNullable<ReevaluatingExtensions['answer']> {
    return (this.answer ??= this.evaluate());
  }

  private evaluate(): NonNullable<ReevaluatingExtensions['answer']> {
    const { state, input } = this.placement;
    const { pods } = state;
    const deletes = [...this.gone].map((pod) => ({
      kind: 'Pod',
      namespace: pods.namespace(pod),
      name: pods.name(pod),
    }));
    const without = state.fork().apply({ deletes });
    const { pod, gates, filters } = input;
    const question = { pod, gates, filters, ...defined({ filterNames: this.filterNames }) };
    const { verdict, reasons } = evaluateNode(without, question, this.node);
    if (verdict === 'feasible') return { code: SUCCESS, messages: [] };
    const first = reasons.filter((reason) => reason.first);
    const [deciding] = first;
    if (deciding === undefined) return { code: UNKNOWN, messages: [] };
    const code = first.some(({ status }) => status === 'Error') ? ERROR : CODES[deciding.status];
    return { code, messages: [...new Set(first.map(({ message }) => message))] };
  }
}
