import type { ClusterState } from '../../cluster/cluster-state.js';
import { LruCache } from '../../collections/lru-cache.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { NodeGroups } from './node-groups.js';
import type { RoomStart } from './room-board.js';
import type { SpreadGround } from './spread-counts.js';
import { StaticColumns } from './static-part.js';

/** Entries of each cache for one question. An evicted entry is created again when a pod needs it. */
const MOST = 256;
/** Nodes times entries of each cache that are kept as long as a state is: up to some 25 MB. */
const KEPT = 1_250_000;
const FEWEST = 8;

const known = new WeakMap<ClusterState, WeakMap<SchedulingProfile, NodeParts>>();

/** What depends on the nodes of a state, its pods as they are stored, and a profile, for all pods that are alike in the fields that matter. */
export class NodeParts {
  readonly columns: StaticColumns;
  readonly grounds: LruCache<SpreadGround>;
  /** By the key of what distinguishes nodes for topology spread. */
  readonly groups: LruCache<NodeGroups | undefined>;
  /** Which nodes have room before any pod has come or left. */
  readonly rooms: LruCache<RoomStart>;

  constructor(state: ClusterState, profile: SchedulingProfile, most = MOST) {
    this.columns = new StaticColumns(state, profile, most);
    this.grounds = new LruCache(most);
    this.groups = new LruCache(Math.min(most, MAX_GROUPINGS));
    this.rooms = new LruCache(most);
  }

  /** Those of a state, made once for all questions about it. */
  static of(state: ClusterState, profile: SchedulingProfile): NodeParts {
    let ofState = known.get(state);
    if (ofState === undefined) known.set(state, (ofState = new WeakMap()));
    let parts = ofState.get(profile);
    if (parts === undefined) {
      const most = Math.max(FEWEST, Math.min(MOST, Math.floor(KEPT / Math.max(1, state.nodes.count))));
      ofState.set(profile, (parts = new NodeParts(state, profile, most)));
    }
    return parts;
  }
}

const MAX_GROUPINGS = 16;
