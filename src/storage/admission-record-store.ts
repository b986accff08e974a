import { parseJson } from '../core/json/lossless-json.js';
import type { PatchOperation } from '../core/json/patch-between.js';
import { Database } from './database.js';

/** The caller of a webhook. */
export interface AdmissionCaller {
  readonly name: string;
  readonly kind: 'anonymous' | 'token' | 'oidc';
  /** The identity provider that authenticated the name; null for other kinds. */
  readonly issuer: string | null;
}

/** The effect of a webhook on a pod: its additions, or the reason for the rejection. */
export interface AdmissionRecord {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly recordedAt: Date;
  /** The revision whose pools were used. */
  readonly revision: number;
  /** The UID of the API server's request. */
  readonly uid: string;
  readonly outcome: 'added' | 'refused';
  readonly operation: 'CREATE' | 'UPDATE';
  readonly namespace: string;
  /** Empty if the API server has yet to generate a name. */
  readonly pod: string;
  readonly generateName: string;
  /** The pod's service account. */
  readonly serviceAccount: string;
  /** The user named in the AdmissionReview. */
  readonly username: string;
  /** The sender of the AdmissionReview; null in records from before it was stored. */
  readonly caller: AdmissionCaller | null;
  readonly pools: readonly string[];
  readonly patch: readonly PatchOperation[];
  readonly message: string;
}

export interface StoredAdmissionRecord extends Omit<AdmissionRecord, 'clusterName'> {
  readonly id: number;
}

export interface AdmissionRecordFilter {
  readonly namespace?: string;
  readonly pod?: string;
  readonly pool?: string;
  readonly outcome?: string;
  readonly username?: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** Removes NUL, which Postgres cannot store and which occurs in no name that the API server accepts. */
const withoutNul = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value;

interface Row extends Omit<StoredAdmissionRecord, 'patch' | 'message' | 'caller'> {
  readonly caller: string | null;
  readonly callerKind: AdmissionCaller['kind'] | null;
  readonly callerIssuer: string | null;
  readonly content: string;
}

/** The append-only record of webhook effects. It outlives its clusters and is searched by their names. */
export class AdmissionRecordStore {
  constructor(private readonly database: Database) {}

  /** Appends all records in one statement. */
  async append(records: readonly AdmissionRecord[]): Promise<void> {
    const rows = records.map(({ patch, message, caller, ...record }) => ({
      ...record,
      caller: caller?.name,
      callerKind: caller?.kind,
      callerIssuer: caller?.issuer,
      content: JSON.stringify({ patch, message }, withoutNul),
    }));
    await this.database.query(
      `insert into admission_records (cluster_id, cluster_name, recorded_at, revision, uid, outcome, operation, namespace, pod,
                                      generate_name, service_account, username, caller, caller_kind, caller_issuer, pools,
                                      content)
       select "clusterId", "clusterName", "recordedAt", revision, uid, outcome, operation, namespace, pod,
              "generateName", "serviceAccount", username, caller, "callerKind", "callerIssuer", pools, content
       from json_to_recordset($1) as r ("clusterId" bigint, "clusterName" text, "recordedAt" timestamptz, revision integer,
         uid text, outcome text, operation text, namespace text, pod text, "generateName" text, "serviceAccount" text,
         username text, caller text, "callerKind" text, "callerIssuer" text, pools text[], content text)`,
      [JSON.stringify(rows, withoutNul)],
    );
  }

  /** Returns records, newest first. @param before returns records older than this one */
  async page(
    clusterName: string,
    filter: AdmissionRecordFilter,
    { limit, before }: { readonly limit: number; readonly before?: number },
  ): Promise<StoredAdmissionRecord[]> {
    const values: unknown[] = [clusterName, limit];
    const conditions = ['cluster_name = $1'];
    const add = (condition: (parameter: string) => string, value: unknown): void => {
      if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
    };
    add((of) => `namespace = ${of}`, filter.namespace);
    add((of) => `pod = ${of}`, filter.pod);
    add((of) => `pools @> array[${of}::text]`, filter.pool);
    add((of) => `outcome = ${of}`, filter.outcome);
    add((of) => `username = ${of}`, filter.username);
    add((of) => `recorded_at >= ${of}`, filter.from);
    add((of) => `recorded_at < ${of}`, filter.to);
    add((of) => `id < ${of}`, before);
    const rows = await this.database.query<Row>(
      `select id::float8 as id, cluster_id::float8 as "clusterId", recorded_at as "recordedAt",
              revision, uid, outcome, operation, namespace, pod, generate_name as "generateName",
              service_account as "serviceAccount", username, caller, caller_kind as "callerKind",
              caller_issuer as "callerIssuer", pools, content
       from admission_records where ${conditions.join(' and ')} order by id desc limit $2`,
      values,
    );
    return rows.map(({ content, caller, callerKind, callerIssuer, ...row }) => ({
      ...row,
      caller: caller === null ? null : { name: caller, kind: callerKind ?? 'anonymous', issuer: callerIssuer },
      ...(parseJson(content) as unknown as Pick<AdmissionRecord, 'patch' | 'message'>),
    }));
  }

  async isKnown(clusterName: string): Promise<boolean> {
    const rows = await this.database.query('select 1 from admission_records where cluster_name = $1 limit 1', [
      clusterName,
    ]);
    return rows.length > 0;
  }
}
