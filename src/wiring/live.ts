import { GetCluster } from '../app/clusters/get-cluster.js';
import { EvictionMemory } from '../app/evictions/eviction-memory.js';
import { CreateStreamTicket } from '../app/live/create-stream-ticket.js';
import { FollowCluster } from '../app/live/follow-cluster.js';
import { LiveStreams } from '../app/live/live-streams.js';
import { StoredSchedules } from '../app/live/stored-schedules.js';
import { StreamTickets } from '../app/live/stream-tickets.js';
import { StoredStates } from '../app/states/stored-states.js';
import { ClusterHistory } from '../storage/cluster-history.js';
import { RevisionStore } from '../storage/revision-store.js';
import { StreamTicketStore } from '../storage/stream-ticket-store.js';
import { made } from './made.js';

export const LIVE = [
  made(StreamTickets, StreamTicketStore),
  made(CreateStreamTicket, StreamTickets),
  made(StoredSchedules, RevisionStore, StoredStates, EvictionMemory),
  made(FollowCluster, GetCluster, ClusterHistory, LiveStreams, RevisionStore),
];
