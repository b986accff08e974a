/**
 * The tables of clusters, by the column with the id of the cluster. A Postgres that is distributed keeps the rows of one cluster on one
 * node; a statement about a cluster names its id, so that it is asked there.
 */
export const TABLES_OF_CLUSTERS: Readonly<Record<string, string>> = {
  clusters: 'id',
  ...Object.fromEntries(
    [
      'revisions',
      'object_versions',
      'taint_trail',
      'taint_trail_superseded',
      'taint_changes',
      'node_intents',
      'observed_nodes',
      'node_sightings',
      'device_taint_rule_sightings',
      'node_observations',
      'node_audit_events',
      'kind_positions',
      'delta_streams',
      'cluster_connections',
      'cluster_follows',
      'cluster_figures',
      'state_digests',
      'state_images',
      'digest_turns',
      'taint_change_applications',
      'taint_change_application_nodes',
      'application_leases',
      'asked_changes',
      'change_votes',
      'no_op_answers',
      'expectation_progress',
      'expectation_turns',
      'agreement_progress',
      'agreement_days',
      'agreement_cases',
      'notification_progress',
      'notification_queues',
      'notification_deliveries',
      'notification_conditions',
    ].map((table) => [table, 'cluster_id']),
  ),
};

/** Tables with few rows that statements about a cluster join: every node has them. */
export const TABLES_OF_ALL: readonly string[] = ['cluster_names', 'notification_rules'];

/** Tables with the id of a cluster that stay in one place: their rows are found by other keys, and outlive the cluster. */
export const TABLES_IN_ONE_PLACE: readonly string[] = ['decisions', 'admission_records'];

/** Triggers on `clusters` for replicas of a version without the directory; they cannot be distributed. */
export const TRIGGERS_FOR_FORMER_VERSIONS = ['clusters_named', 'clusters_unnamed'];
