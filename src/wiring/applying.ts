import { ApplyTaintChange } from '../app/applying/apply-taint-change.js';
import { CancelApplication } from '../app/applying/cancel-application.js';
import { CheckApplicable } from '../app/applying/check-applicable.js';
import { TryApplication } from '../app/applying/try-application.js';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { Connections } from '../app/connections/connections.js';
import { HeadForUpdate } from '../app/taint-changes/head-for-update.js';
import { PresentTaintChange } from '../app/taint-changes/present-taint-change.js';
import { ApiClient } from '../kube-api/api-client.js';
import { JudgeApplication } from '../app/guardrails/judge-application.js';
import { ApplicationStore } from '../storage/taint-trail/application-store.js';
import { TaintChangeStore } from '../storage/taint-trail/taint-change-store.js';
import { made } from './made.js';

export const APPLYING = [
  made(CheckApplicable, Connections),
  made(TryApplication, ApiClient),
  made(
    ApplyTaintChange,
    CheckApplicable,
    HeadForUpdate,
    TaintChangeStore,
    ApplicationStore,
    TryApplication,
    PresentTaintChange,
    JudgeApplication,
  ),
  made(CancelApplication, GetCluster, TaintChangeStore, ApplicationStore, PresentTaintChange),
];
