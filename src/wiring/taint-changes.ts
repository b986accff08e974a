import { CheckApplicable } from '../app/applying/check-applicable.js';
import { TryApplication } from '../app/applying/try-application.js';
import { ApprovalLimit } from '../app/approvals/approval-limit.js';
import { AskForApproval } from '../app/approvals/ask-for-approval.js';
import { DecideOnChange } from '../app/approvals/decide-on-change.js';
import { Clock } from '../app/clock.js';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { HeadCache } from '../app/reads/head-cache.js';
import { ResolveRevision } from '../app/reads/resolve-revision.js';
import { ClusterStates } from '../app/states/cluster-states.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { ChangeTaints } from '../app/taint-changes/change-taints.js';
import { CommitChange } from '../app/taint-changes/commit-change.js';
import { ExpireTaintChanges } from '../app/taint-changes/expire-taint-changes.js';
import { GetTaintChange } from '../app/taint-changes/get-taint-change.js';
import { HeadForUpdate } from '../app/taint-changes/head-for-update.js';
import { IdempotentReplies } from '../app/taint-changes/idempotent-replies.js';
import { ListTaintChanges } from '../app/taint-changes/list-taint-changes.js';
import { MakeChange } from '../app/taint-changes/make-change.js';
import { PlanChange } from '../app/taint-changes/plan-change.js';
import { PlanNodes } from '../app/taint-changes/plan-nodes.js';
import { PresentTaintChange } from '../app/taint-changes/present-taint-change.js';
import { RevertTaintChange } from '../app/taint-changes/revert-taint-change.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { ApplicationStore } from '../storage/taint-trail/application-store.js';
import { AskedChangeStore } from '../storage/taint-trail/asked-change-store.js';
import { TaintChangeStore } from '../storage/taint-trail/taint-change-store.js';
import { NoOpAnswerStore } from '../storage/taint-trail/no-op-answer-store.js';
import { made } from './made.js';

export const TAINT_CHANGES = [
  made(HeadForUpdate, ResolveRevision, ClusterStates, HeadCache, ClusterStore),
  made(IdempotentReplies, TaintChangeStore, ClusterStore, AskedChangeStore, NoOpAnswerStore),
  made(PlanNodes, DerivedStateCache),
  made(PlanChange, PlanNodes, TaintChangeStore),
  made(CommitChange, HeadForUpdate, TaintChangeStore),
  made(AskForApproval, AskedChangeStore, ApprovalLimit),
  made(MakeChange, HeadForUpdate, IdempotentReplies, PlanChange, CommitChange, AskForApproval, Clock),
  made(PresentTaintChange, TaintChangeStore, ApplicationStore, ResolveRevision),
  made(ChangeTaints, IdempotentReplies, MakeChange, PresentTaintChange, CheckApplicable, TryApplication),
  made(
    RevertTaintChange,
    IdempotentReplies,
    MakeChange,
    PresentTaintChange,
    CheckApplicable,
    TryApplication,
    GetCluster,
    TaintChangeStore,
  ),
  made(GetTaintChange, ResolveRevision, TaintChangeStore, PresentTaintChange, AskedChangeStore),
  made(ListTaintChanges, GetCluster, TaintChangeStore, ApplicationStore, AskedChangeStore),
  made(ExpireTaintChanges, MakeChange, TaintChangeStore, ApplicationStore, AskedChangeStore),
  made(
    DecideOnChange,
    HeadForUpdate,
    AskedChangeStore,
    TaintChangeStore,
    PlanChange,
    CommitChange,
    PresentTaintChange,
    CheckApplicable,
    Clock,
  ),
];
