import { ruleSubject } from '../../core/audit/rule-subject.js';
import type { DeviceTaintRule } from '../../core/kubernetes/objects/dra.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { watchedNode, watchedRule, type WatchedNode } from './evidence-store.js';

/** A kind whose taints the trail follows. */
export interface WatchedKind {
  readonly kind: 'Node' | 'DeviceTaintRule';
  /** The subject of records about an object with this name. */
  readonly subjectOf: (name: string) => string;
  /** The times at which all objects of the kind were observed. */
  readonly sightings: SightingsTable;
  readonly watched: (object: Node | DeviceTaintRule) => WatchedNode;
}

export type SightingsTable = 'node_sightings' | 'device_taint_rule_sightings';

export const NODES: WatchedKind = {
  kind: 'Node',
  subjectOf: (name) => name,
  sightings: 'node_sightings',
  watched: (node) => watchedNode(node as Node),
};

export const RULES: WatchedKind = {
  kind: 'DeviceTaintRule',
  subjectOf: ruleSubject,
  sightings: 'device_taint_rule_sightings',
  watched: (rule) => watchedRule(rule as DeviceTaintRule),
};
