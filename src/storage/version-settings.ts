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
  `(select v.content::json->'content' from object_versions v where ${isSetting('v', kind, clusterId, revision)})`;

const isSetting = (of: string, kind: SettingKind, clusterId: string, revision: string): string =>
  `${of}.cluster_id = ${clusterId} and ${of}.kind = '${kind}' and ${of}.namespace = '' and ${of}.name = '${THE_ONE}'
   and ${of}.valid_from <= ${revision} and (${of}.valid_to is null or ${of}.valid_to > ${revision})`;

/** The columns of `VersionSettings` of the revisions `r`, for a select list with `VERSION_SETTINGS_OF_REVISIONS`. */
export const VERSION_SETTINGS =
  `declared.content::json->'content' as "declaredVersion", ` +
  `reported.content::json->'content'->>'version' as "apiServerVersion"`;

/** Joins what `VERSION_SETTINGS` reads: unlike a subquery, a join is asked of one partition where the revisions are. */
export const VERSION_SETTINGS_OF_REVISIONS = `
  left join object_versions declared on ${isSetting('declared', 'KubernetesVersion', 'r.cluster_id', 'r.number')}
  left join object_versions reported on ${isSetting('reported', 'ApiServer', 'r.cluster_id', 'r.number')}`;

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
  `${contentAt('KubernetesVersion', clusterId, revision)} as "declaredVersion",
   ${contentAt('ApiServer', clusterId, revision)}->>'version' as "apiServerVersion"`;
