import {
  Module,
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  type ValueProvider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import type { Logger } from 'pino';
import { CONTROLLERS } from './api/controllers.js';
import { OPENAPI_DOCUMENT, type OpenApiSource } from './api/docs/docs.controller.js';
import { EnvelopePipe } from './api/envelope/envelope-pipe.js';
import { QueryGuard } from './api/envelope/query-guard.js';
import { graphqlOptions } from './api/graphql/graphql-options.js';
import { RESOLVERS } from './api/graphql/resolvers.js';
import { AllowedMethods } from './api/http/allowed-methods.js';
import { ProblemFilter } from './api/problem-filter.js';
import { Clock } from './app/clock.js';
import { DeleteCluster } from './app/clusters/delete-cluster.js';
import { GetCluster } from './app/clusters/get-cluster.js';
import { ListClusters } from './app/clusters/list-clusters.js';
import { PutCluster } from './app/clusters/put-cluster.js';
import { Readiness } from './app/readiness.js';
import { ServiceMetrics } from './app/service-metrics.js';
import { ClusterStore } from './storage/cluster-store.js';
import { Database } from './storage/database.js';
import { VERSION } from './version.js';

/** What the service is composed of that must be there before it. */
export interface Foundations {
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: ServiceMetrics;
  readonly database: Database;
  readonly allowedMethods: AllowedMethods;
}

type Class<Arguments extends unknown[], Instance> = new (...given: Arguments) => Instance;
/** The tokens for a constructor's arguments, one for one: a class for each of its own kind. */
type Tokens<Arguments extends unknown[]> = {
  [Index in keyof Arguments]: abstract new (...given: never[]) => Arguments[Index];
};

/** A class that knows nothing of Nest, with what its constructor takes. */
function made<Arguments extends unknown[], Instance>(
  type: Class<Arguments, Instance>,
  ...needs: Tokens<Arguments>
): FactoryProvider {
  return { provide: type, inject: needs as InjectionToken[], useFactory: (...given: Arguments) => new type(...given) };
}

function given(provide: InjectionToken, useValue: unknown): ValueProvider {
  return { provide, useValue };
}

const STORES = [made(ClusterStore, Database)];

/** One line a use case. */
const USE_CASES = [
  made(PutCluster, ClusterStore),
  made(GetCluster, ClusterStore),
  made(ListClusters, ClusterStore),
  made(DeleteCluster, ClusterStore),
];

/** The only place where the parts of the service are put together. */
@Module({})
export class AppModule {
  static on({ log, clock, metrics, database, allowedMethods }: Foundations): DynamicModule {
    // The module's imports and the builder of the document are loaded when somebody first reads it.
    const openApi: OpenApiSource = async () => {
      const { buildOpenApi } = await import('./api/docs/build-openapi.js');
      return buildOpenApi(CONTROLLERS, VERSION);
    };
    return {
      module: AppModule,
      imports: [GraphQLModule.forRoot<MercuriusDriverConfig>(graphqlOptions(log))],
      controllers: CONTROLLERS,
      providers: [
        given(Clock, clock),
        given(ServiceMetrics, metrics),
        given(Database, database),
        given(Readiness, new Readiness([{ name: 'database', check: () => database.ping() }])),
        given(OPENAPI_DOCUMENT, openApi),
        given(APP_FILTER, new ProblemFilter(log, allowedMethods)),
        given(APP_GUARD, new QueryGuard()),
        given(APP_PIPE, new EnvelopePipe()),
        ...STORES,
        ...USE_CASES,
        ...RESOLVERS,
      ],
    };
  }
}
