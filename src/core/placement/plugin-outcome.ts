import { SUCCESS, UNKNOWN, type NodeFilter, type Prepared, type StatusCode } from './plugin.js';

/** One plugin's part in a placement. */
export interface PluginOutcome {
  readonly name: string;
  readonly preFilter: Prepared;
  /** Absent where the plugin skipped or refused the pod. */
  readonly filter?: NodeFilter;
  /** The column of the filter's answers; absent without a filter, or where it is asked about single nodes. */
  readonly statuses?: Uint8Array;
  /** Set where no node is refused or unknown by it, so that there is nothing to read in the column. */
  readonly passesAll?: boolean;
}

/** A plugin's answer for a node; undefined where it skipped or refused the pod. */
export const statusAt = ({ statuses, filter }: PluginOutcome, node: number): StatusCode | undefined =>
  statuses === undefined ? filter?.status(node) : (statuses[node] as StatusCode);

/** The first plugin, in calling order, whose filter refuses the node (an unknown answer is no refusal). */
export function firstRefusalOf(plugins: readonly PluginOutcome[], node: number): PluginOutcome | undefined {
  return plugins.find((plugin) => {
    const status = statusAt(plugin, node);
    return status !== undefined && status !== SUCCESS && status !== UNKNOWN;
  });
}
