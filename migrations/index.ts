import { CreateClusters1782000000001 } from './1782000000001-create-clusters.js';
import { CreateObjectVersions1782000000002 } from './1782000000002-create-object-versions.js';
import { CreateTaintTrail1782000000003 } from './1782000000003-create-taint-trail.js';
import { CreateAdmissionRecords1782000000005 } from './1782000000005-create-admission-records.js';
import { GuardTaintChanges1782000000010 } from './1782000000010-guard-taint-changes.js';
import { RecordAdmissionCallers1782000000011 } from './1782000000011-record-admission-callers.js';
import { CreateIdempotencyKeys1782000000020 } from './1782000000020-create-idempotency-keys.js';
import { CreateStreamTickets1782000000021 } from './1782000000021-create-stream-tickets.js';
import { CreateDecisions1782000000030 } from './1782000000030-create-decisions.js';
import { CreateExpectationTurns1782000000040 } from './1782000000040-create-expectation-turns.js';
import { LeaseExpectations1782000000041 } from './1782000000041-lease-expectations.js';
import { CreateClusterConnections1782000000050 } from './1782000000050-create-cluster-connections.js';
import { KeepResourceVersions1782000000060 } from './1782000000060-keep-resource-versions.js';
import { CreateClusterFollows1782000000061 } from './1782000000061-create-cluster-follows.js';
import { LeaseClusterFollows1782000000064 } from './1782000000064-lease-cluster-follows.js';
import { ApplyTaintChanges1782000000070 } from './1782000000070-apply-taint-changes.js';
import { CreateChangeApprovals1782000000080 } from './1782000000080-create-change-approvals.js';
import { SplitAskedPreviews1782000000081 } from './1782000000081-split-asked-previews.js';
import { CreateNotifications1782000000090 } from './1782000000090-create-notifications.js';
import { TellDisagreements1782000000091 } from './1782000000091-tell-disagreements.js';
import { AskReceivers1782000000092 } from './1782000000092-ask-receivers.js';
import { TellSendersApart1782000000093 } from './1782000000093-tell-senders-apart.js';
import { CreateAgreement1782000000100 } from './1782000000100-create-agreement.js';
import { CreateSessions1782000000110 } from './1782000000110-create-sessions.js';
import { KeepClusterFigures1782000000120 } from './1782000000120-keep-cluster-figures.js';
import { RequireMigrations1782000000130 } from './1782000000130-require-migrations.js';
import { SeeDeviceTaintRules1782000000140 } from './1782000000140-see-device-taint-rules.js';
import { NameClusters1782000000150 } from './1782000000150-name-clusters.js';
import { KeepStateDigests1782000000160 } from './1782000000160-keep-state-digests.js';
import { FindVersionsBySpan1782000000170 } from './1782000000170-find-versions-by-span.js';
import { KeepStateImages1782000000180 } from './1782000000180-keep-state-images.js';
import { KeyImagesByForm1782000000190 } from './1782000000190-key-images-by-form.js';
import { TakeTurnsAtDigests1782000000200 } from './1782000000200-take-turns-at-digests.js';
import { EstimateClustersAlike1782000000210 } from './1782000000210-estimate-clusters-alike.js';
import { KeepNoOpAnswers1782000000220 } from './1782000000220-keep-no-op-answers.js';
import { FindUndoingChanges1782000000230 } from './1782000000230-find-undoing-changes.js';

/** All migrations, in execution order. */
export const MIGRATIONS = [
  CreateClusters1782000000001,
  CreateObjectVersions1782000000002,
  CreateTaintTrail1782000000003,
  CreateAdmissionRecords1782000000005,
  GuardTaintChanges1782000000010,
  RecordAdmissionCallers1782000000011,
  CreateIdempotencyKeys1782000000020,
  CreateStreamTickets1782000000021,
  CreateDecisions1782000000030,
  CreateExpectationTurns1782000000040,
  LeaseExpectations1782000000041,
  CreateClusterConnections1782000000050,
  KeepResourceVersions1782000000060,
  CreateClusterFollows1782000000061,
  LeaseClusterFollows1782000000064,
  ApplyTaintChanges1782000000070,
  CreateChangeApprovals1782000000080,
  SplitAskedPreviews1782000000081,
  CreateNotifications1782000000090,
  TellDisagreements1782000000091,
  AskReceivers1782000000092,
  TellSendersApart1782000000093,
  CreateAgreement1782000000100,
  CreateSessions1782000000110,
  KeepClusterFigures1782000000120,
  RequireMigrations1782000000130,
  SeeDeviceTaintRules1782000000140,
  NameClusters1782000000150,
  KeepStateDigests1782000000160,
  FindVersionsBySpan1782000000170,
  KeepStateImages1782000000180,
  KeyImagesByForm1782000000190,
  TakeTurnsAtDigests1782000000200,
  EstimateClustersAlike1782000000210,
  KeepNoOpAnswers1782000000220,
  FindUndoingChanges1782000000230,
];
