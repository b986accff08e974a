import { internText } from '../cluster/intern-table.js';
import { defined } from '../collections/defined.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { askPod, NONE_KNOWN, type KnownAnswers } from './ask-pod.js';
import { NodeEvaluation } from './node-evaluation.js';
import type { Placement, PluginOutcome } from './placement.js';
import type { FilterPlugin } from './plugin.js';
import { inTreePlugin } from './plugins/in-tree-plugins.js';

/**
 * The pod of a placement after a change, to be asked about single nodes: a filter that reads nothing of what has changed gives the
 * answers that it gave for the placement.
 */
export function reevaluate(placement: Placement, changed: Pod): NodeEvaluation {
  const { input, podReasons } = placement;
  const { state, gates, filters, filterNames } = input;
  const unknowns = podReasons.filter(({ status }) => status === 'Unknown');
  const question = { pod: changed, gates, filters, unknowns, ...defined({ filterNames }) };
  return new NodeEvaluation(askPod(state, question, knownAnswers(placement, changed)));
}

/** The answers of filters that read the same of both pods. None where other nominated pods count. */
function knownAnswers({ input, plugins }: Placement, changed: Pod): KnownAnswers {
  const { pod, filters } = input;
  if (changed.metadata.name !== pod.metadata.name || changed.metadata.namespace !== pod.metadata.namespace)
    return NONE_KNOWN;
  if ((changed.spec.priority ?? 0) !== (pod.spec.priority ?? 0)) return NONE_KNOWN;
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const known = new Map<FilterPlugin, PluginOutcome>();
  for (const filter of filters) {
    const sign = inTreePlugin(filter.name)?.filter?.signPod ?? signWhole;
    const plugin = byName.get(filter.name);
    if (plugin !== undefined && sign(changed) === sign(pod)) known.set(filter, plugin);
  }
  return known;
}

const signWhole = ({ metadata, spec, status }: Pod): string => internText([metadata, spec, status]);
