import pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { Database } from './database.js';
import { isTracing } from '../tracing/tracing.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { HangingPlaces } from './hanging-places.js';
import { AskedChangeEntity, ChangeVoteEntity } from './entities/asked-change-entities.js';
import { AdmissionRecordEntity } from './entities/admission-record-entity.js';
import { DecisionEntity } from './entities/decision-entity.js';
import { IdempotencyKeyEntity } from './entities/idempotency-key-entity.js';
import {
  ApplicationLeaseEntity,
  TaintChangeApplicationEntity,
  TaintChangeApplicationNodeEntity,
} from './entities/application-entities.js';
import { ConnectionEntity } from './entities/connection-entity.js';
import { AgreementCaseEntity, AgreementDayEntity, AgreementProgressEntity } from './entities/agreement-entities.js';
import {
  ClusterFollowEntity,
  DeltaStreamEntity,
  FollowReplicaEntity,
  KindPositionEntity,
} from './entities/follow-entities.js';
import { ExpectationProgressEntity, ExpectationTurnEntity } from './entities/expectation-entities.js';
import {
  NotificationConditionEntity,
  NotificationDeliveryEntity,
  NotificationProgressEntity,
  NotificationQueueEntity,
  NotificationRuleEntity,
} from './entities/notification-entities.js';
import { StreamTicketEntity } from './entities/stream-ticket-entity.js';
import { ClusterEntity } from './entities/cluster-entity.js';
import { ClusterFiguresEntity } from './entities/cluster-figures-entity.js';
import { DigestTurnEntity } from './entities/digest-turn-entity.js';
import { ClusterNameEntity } from './entities/cluster-name-entity.js';
import { ObjectVersionEntity } from './entities/object-version-entity.js';
import { RevisionEntity } from './entities/revision-entity.js';
import { StateDigestEntity } from './entities/state-digest-entity.js';
import { StateImageEntity } from './entities/state-image-entity.js';
import * as taintTrail from './entities/taint-trail-entities.js';
import { NoOpAnswerEntity } from './entities/no-op-answer-entity.js';
import { mapDriverError } from './map-driver-error.js';
import { checkMigrated, migrate, ownsTables, refuseNewerSchema } from './migrate.js';
import { Standby } from './standby.js';
import type { StorageLog } from './storage-log.js';
import { traceStatements } from './trace-statements.js';

/** The location of the database and its limits. */
export interface DatabaseSettings {
  /** If absent, an embedded Postgres runs in `dataDir`. */
  readonly url?: string | undefined;
  /** A standby of that database, for reads. */
  readonly readUrl?: string | undefined;
  readonly dataDir: string;
  /** The maximum number of connections in the pool. */
  readonly poolSize?: number;
  /** The timeout of a statement, except in large commits; 0 means none. */
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
}

/** The settings of the pool. */
type PoolSettings = Pick<DatabaseSettings, 'readUrl' | 'poolSize' | 'statementTimeoutMs' | 'connectTimeoutMs'>;

export interface OpenDatabase {
  readonly database: Database;
  readonly url: string;
  /** The folder of the embedded server; undefined for an external database. */
  readonly dataDir: string | undefined;
  /** Ends the pool, then the embedded server if there is one. */
  close(): Promise<void>;
}

const OWNER =
  'the database role owns the tables of the service: the audit trail is only protected by triggers, which the owner can drop';
const NO_OWNER = 'the database role owns no table of the service, and can only read and append to the audit trail';

/**
 * Starts the embedded Postgres if there is no URL, connects, and migrates the schema.
 * @throws {StorageUnavailable} if the database cannot be reached
 * @throws {DatabaseNotReady} if another role owns the tables and has not migrated them, or a newer version has
 * @throws {DataFolderInUse} if another process serves the data folder
 */
export async function openDatabase(settings: DatabaseSettings, log: StorageLog): Promise<OpenDatabase> {
  const embedded =
    settings.url === undefined ? await EmbeddedPostgres.start({ dataDir: settings.dataDir, log }) : undefined;
  try {
    const database = await connect(settings.url ?? embedded!.url, settings, log);
    log('info', (await ownsTables(database)) ? OWNER : NO_OWNER);
    return {
      database,
      url: settings.url ?? embedded!.url,
      dataDir: embedded?.dataDir,
      close: async () => {
        if (database.dataSource.isInitialized) await database.dataSource.destroy();
        await database.standby?.end();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/**
 * Connects to an existing database and migrates it, or checks that the owner of its tables has, and that no newer version has.
 */
export async function connect(
  url: string,
  settings: PoolSettings,
  log: StorageLog,
  hanging = new HangingPlaces(url, log),
) {
  const valueOf = async (expression: string): Promise<string> => {
    const [row] = await database.query<{ value: string }>(`select ${expression}::text as value`);
    return row!.value;
  };
  const database: Database = new Database(
    dataSource(url, settings, log, hanging),
    url,
    settings.readUrl === undefined
      ? undefined
      : new Standby({
          url: settings.readUrl,
          pool: {
            ...poolOptions(settings, hanging),
            max: settings.poolSize ?? 16,
            connectionTimeoutMillis: settings.connectTimeoutMs ?? 5_000,
            application_name: 'kube-placement',
          },
          position: () => valueOf('pg_current_wal_insert_lsn()'),
          system: () => valueOf('(select system_identifier from pg_control_system())'),
          log,
        }),
  );
  try {
    await database.dataSource.initialize();
    await refuseNewerSchema(database);
    const owns = await ownsTables(database);
    if (!owns) await checkMigrated(database);
    const applied = owns ? await migrate(database) : [];
    if (applied.length > 0) log('info', 'migrated the database', { migrations: applied });
    return database;
  } catch (error) {
    if (database.dataSource.isInitialized) await database.dataSource.destroy();
    throw mapDriverError(error);
  }
}

/**
 * A connection whose loss never ends the process. While a connection is handed over, the pool no longer listens for errors and
 * TypeORM does not listen yet, and an error event without a listener ends the process: a Postgres crash during connection
 * setup would end the service. The next use of the connection still reports the error.
 */
class HardenedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    if (isTracing()) traceStatements(this);
  }
}

function poolOptions({ statementTimeoutMs = 120_000 }: PoolSettings, hanging: HangingPlaces) {
  return {
    Client: class extends HardenedClient {
      constructor(config?: pg.ClientConfig) {
        super(config);
        hanging.watch(this);
      }
    },
    statement_timeout: statementTimeoutMs || undefined,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    idleTimeoutMillis: 60_000,
  };
}

function dataSource(url: string, settings: PoolSettings, log: StorageLog, hanging: HangingPlaces): DataSource {
  const source = new DataSource({
    type: 'postgres',
    url,
    entities: [
      AdmissionRecordEntity,
      DecisionEntity,
      IdempotencyKeyEntity,
      StreamTicketEntity,
      ExpectationProgressEntity,
      ExpectationTurnEntity,
      AgreementProgressEntity,
      AgreementDayEntity,
      AgreementCaseEntity,
      ConnectionEntity,
      TaintChangeApplicationEntity,
      TaintChangeApplicationNodeEntity,
      ApplicationLeaseEntity,
      AskedChangeEntity,
      ChangeVoteEntity,
      NoOpAnswerEntity,
      KindPositionEntity,
      DeltaStreamEntity,
      ClusterFollowEntity,
      FollowReplicaEntity,
      NotificationRuleEntity,
      NotificationProgressEntity,
      NotificationQueueEntity,
      NotificationDeliveryEntity,
      NotificationConditionEntity,
      ClusterEntity,
      ClusterFiguresEntity,
      DigestTurnEntity,
      StateDigestEntity,
      StateImageEntity,
      ClusterNameEntity,
      RevisionEntity,
      ObjectVersionEntity,
      ...Object.values(taintTrail),
    ],
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    installExtensions: false,
    logging: false,
    poolSize: settings.poolSize ?? 16,
    connectTimeoutMS: settings.connectTimeoutMs ?? 5_000,
    applicationName: 'kube-placement',
    poolErrorHandler: (error: unknown) => {
      // A connection that is still closing when the embedded server stops is expected.
      if (!source.isInitialized) return;
      log('warn', 'an idle database connection was lost', { error: error instanceof Error ? error.message : '' });
    },
    extra: poolOptions(settings, hanging),
  });
  return source;
}
