import { Module, type DynamicModule, type InjectionToken, type ValueProvider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import { AccessGuard } from './api/access/access-guard.js';
import { CONTROLLERS } from './api/rest/controllers.js';
import { OPENAPI_DOCUMENT, type OpenApiSource } from './api/docs/docs.controller.js';
import { EnvelopePipe } from './api/envelope/envelope-pipe.js';
import { QueryGuard } from './api/envelope/query-guard.js';
import { graphqlOptions } from './api/graphql/graphql-options.js';
import { RESOLVERS } from './api/graphql/resolvers.js';
import { AUTHENTICATION_REQUIRED, BROWSER_SESSIONS } from './api/session/session.controller.js';
import { ProblemFilter } from './api/errors/problem-filter.js';
import { ApprovalLimit } from './app/approvals/approval-limit.js';
import { Clock } from './app/clock.js';
import { DecisionRetentionLimit } from './app/decisions/decision-retention-setting.js';
import { ConnectionKeys } from './app/connections/connection-keys.js';
import { Receivers, type ReceiverSettings } from './app/notifications/notification-rules.js';
import { ReceiverClient } from './app/notifications/receiver-client.js';
import { Readiness } from './app/readiness.js';
import { ServiceMetrics } from './app/service-metrics.js';
import { RemovalLimit } from './app/snapshots/removal-limit.js';
import { CheckpointSigner } from './app/taint-trail/checkpoint-signer.js';
import { TrustedCertificates } from './app/webhooks/trusted-certificates.js';
import type { ServiceConfig } from './config.js';
import type { Foundations } from './foundations.js';
import { AddressGuard } from './kube-api/address-guard.js';
import { ApiClient } from './kube-api/api-client.js';
import { running } from './running.js';
import { Database } from './storage/database.js';
import { VERSION } from './version.js';
import { ADMISSION } from './wiring/admission.js';
import { APPLYING } from './wiring/applying.js';
import { CLUSTERS } from './wiring/clusters.js';
import { CONNECTIONS } from './wiring/connections.js';
import { DECISIONS } from './wiring/decisions.js';
import { DEVICES } from './wiring/devices.js';
import { DEVICE_TAINT_CHANGES } from './wiring/device-taint-changes.js';
import { DISRUPTIONS } from './wiring/disruptions.js';
import { EVICTIONS } from './wiring/evictions.js';
import { AGREEMENT } from './wiring/agreement.js';
import { EXPECTATIONS } from './wiring/expectations.js';
import { FINDINGS } from './wiring/findings.js';
import { GATES } from './wiring/gates.js';
import { GUARDRAILS } from './wiring/guardrails.js';
import { LIVE } from './wiring/live.js';
import { NODES } from './wiring/nodes.js';
import { NOTIFICATIONS } from './wiring/notifications.js';
import { OVERVIEW } from './wiring/overview.js';
import { PLACEMENTS } from './wiring/placements.js';
import { PODS } from './wiring/pods.js';
import { POOLS } from './wiring/pools.js';
import { PREEMPTION } from './wiring/preemption.js';
import { QUOTAS } from './wiring/quotas.js';
import { READS } from './wiring/reads.js';
import { RESOURCES } from './wiring/resources.js';
import { SCENARIOS } from './wiring/scenarios.js';
import { SCHEDULERS } from './wiring/schedulers.js';
import { VERSIONS } from './wiring/versions.js';
import { SCHEDULING } from './wiring/scheduling.js';
import { SEARCH } from './wiring/search.js';
import { SESSIONS } from './wiring/sessions.js';
import { SETTINGS } from './wiring/settings.js';
import { SNAPSHOTS } from './wiring/snapshots.js';
import { STORES } from './wiring/stores.js';
import { TAINT_CHANGES } from './wiring/taint-changes.js';
import { TAINT_TRAIL } from './wiring/taint-trail.js';
import { TAINTS } from './wiring/taints.js';
import { WEBHOOKS } from './wiring/webhooks.js';

/** What may be sent to whom. `http://` to this machine is for a service that is reachable only from this machine, too. */
function receiverSettings({ authentication, notificationAddresses, web }: ServiceConfig): ReceiverSettings {
  const client = new ReceiverClient(AddressGuard.ofReceivers(notificationAddresses));
  return { client, allowsHttp: authentication.onLoopback, publicUrl: web.publicUrl };
}

function given(provide: InjectionToken, useValue: unknown): ValueProvider {
  return { provide, useValue };
}

/** What each feature consists of. */
const FEATURES = [
  ...ADMISSION,
  ...APPLYING,
  ...CLUSTERS,
  ...CONNECTIONS,
  ...DECISIONS,
  ...DEVICES,
  ...GATES,
  ...DISRUPTIONS,
  ...EVICTIONS,
  ...AGREEMENT,
  ...EXPECTATIONS,
  ...FINDINGS,
  ...GUARDRAILS,
  ...LIVE,
  ...NODES,
  ...NOTIFICATIONS,
  ...OVERVIEW,
  ...PLACEMENTS,
  ...PODS,
  ...POOLS,
  ...PREEMPTION,
  ...QUOTAS,
  ...RESOURCES,
  ...SCENARIOS,
  ...SCHEDULERS,
  ...VERSIONS,
  ...SCHEDULING,
  ...SEARCH,
  ...SESSIONS,
  ...SETTINGS,
  ...SNAPSHOTS,
  ...TAINT_CHANGES,
  ...DEVICE_TAINT_CHANGES,
  ...TAINT_TRAIL,
  ...TAINTS,
  ...WEBHOOKS,
];

/** The composition root: the only place that connects the parts of the service. */
@Module({})
export class AppModule {
  static on(foundations: Foundations): DynamicModule {
    const { config, log, clock, metrics, database, allowedMethods, signingKey, certificates, browsers } = foundations;
    // The module and the document builder are loaded when the document is first requested.
    const openApi: OpenApiSource = async () => {
      const { buildOpenApi } = await import('./api/docs/build-openapi.js');
      return buildOpenApi(CONTROLLERS, VERSION, config.web.publicUrl);
    };
    const keys = new ConnectionKeys(config.connectionKeyFile);
    const readiness = new Readiness([{ name: 'database', check: () => database.ping() }]);
    metrics.addGauge({
      name: 'ready',
      help: 'Whether a check of the readiness passes (1) or not (0), by check: database.',
      labelNames: ['check'],
      read: async () =>
        (await readiness.report()).checks.map(({ name, ok }) => ({ labels: { check: name }, value: ok ? 1 : 0 })),
    });
    const guard = new AddressGuard(config.authentication.onLoopback);
    return {
      module: AppModule,
      imports: [GraphQLModule.forRoot<MercuriusDriverConfig>(graphqlOptions(log, config.live.heartbeatMs))],
      controllers: CONTROLLERS,
      providers: [
        given(Clock, clock),
        given(RemovalLimit, new RemovalLimit(config.snapshotMaxRemovalPercent)),
        given(ApprovalLimit, new ApprovalLimit(config.approvalMaxAgeSeconds)),
        given(DecisionRetentionLimit, new DecisionRetentionLimit(config.decisionRetentionSeconds)),
        given(ConnectionKeys, keys),
        given(Receivers, new Receivers(keys, receiverSettings(config))),
        given(AddressGuard, guard),
        given(ApiClient, new ApiClient(guard)),
        given(ServiceMetrics, metrics),
        given(Database, database),
        given(TrustedCertificates, certificates),
        given(CheckpointSigner, new CheckpointSigner(signingKey)),
        given(Readiness, readiness),
        given(OPENAPI_DOCUMENT, openApi),
        given(BROWSER_SESSIONS, browsers),
        given(AUTHENTICATION_REQUIRED, config.authentication.mode === 'required'),
        given(APP_FILTER, new ProblemFilter(log, allowedMethods)),
        given(APP_GUARD, new AccessGuard()),
        given(APP_GUARD, new QueryGuard()),
        given(APP_PIPE, new EnvelopePipe()),
        ...STORES,
        ...READS,
        ...running(foundations),
        ...FEATURES,
        ...RESOLVERS,
      ],
    };
  }
}
