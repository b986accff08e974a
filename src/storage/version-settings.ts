import type { ClientBase } from 'pg';
import { THE_ONE, type SettingKind } from '../core/cluster/setting.js';
import type { JsonObject } from '../core/json/json-value.js';

/** The settings of a cluster that say which version of Kubernetes it is, as they are stored. */
export interface VersionSettings {
  /** The setting `KubernetesVersion`: what somebody declared; null if nothing was. */
  readonly declaredVersion: JsonObject | null;
  /** The setting `ApiServer`: the version that the API server of the cluster reported; null if it is not known. */
  readonly apiServerVersion: string | null;
}

/**
 * SQL for the content of a setting at a revision.
 * @param clusterId an expression for the id of the cluster, as `revision` one for the number
 */
const contentAt = (kind: SettingKind, clusterId: string, revision: string): string =>
  `(select v.content::json->'content' from object_versions v
    where v.cluster_id = ${clusterId} and v.kind = '${kind}' and v.namespace = '' and v.name = '${THE_ONE}'
      and v.valid_from <= ${revision} and (v.valid_to is null or v.valid_to > ${revision}))`;

/** SQL for `VersionSettings.declaredVersion` at a revision. */
export const declaredVersionAt = (clusterId: string, revision: string): string =>
  contentAt('KubernetesVersion', clusterId, revision);

/** SQL for `VersionSettings.apiServerVersion` at a revision. */
export const apiServerVersionAt = (clusterId: string, revision: string): string =>
  `(${contentAt('ApiServer', clusterId, revision)}->>'version')`;

/** The settings at a revision. */
export async function readVersionSettings(
  client: ClientBase,
  clusterId: number,
  revision: number,
): Promise<VersionSettings> {
  const { rows } = await client.query<VersionSettings>(`select ${versionSettingsAt('$1::bigint', '$2::integer')}`, [
    clusterId,
    revision,
  ]);
  return rows[0]!;
}

/** The columns of `VersionSettings` at a revision, for a select list. */
export const versionSettingsAt = (clusterId: string, revision: string): string =>
  `${declaredVersionAt(clusterId, revision)} as "declaredVersion", ${apiServerVersionAt(clusterId, revision)} as "apiServerVersion"`;
