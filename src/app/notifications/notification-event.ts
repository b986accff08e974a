import type {
  NOTIFICATION_FORMAT,
  NOTIFICATION_KIND,
  NOTIFICATION_SEVERITY,
} from '../../contract/notifications/notification.js';

export type NotificationKind = (typeof NOTIFICATION_KIND)['values'][number];
export type NotificationFormat = (typeof NOTIFICATION_FORMAT)['values'][number];
export type NotificationSeverity = (typeof NOTIFICATION_SEVERITY)['values'][number];

/** What a receiver is told, before it is rendered for it: plain JSON, as it is stored. */
export interface NotificationEvent {
  /** The same in each attempt; without dots, which separate what is signed. */
  readonly id: string;
  readonly kind: NotificationKind | 'test';
  readonly severity: NotificationSeverity;
  /** `happened`: at one moment. `active`: it lasts. `over`: it lasts no longer. */
  readonly status: 'happened' | 'active' | 'over';
  readonly cluster: string;
  readonly rule: string;
  /** The object in the cluster, such as `nodes/node-1`; null if there are several. */
  readonly subject: string | null;
  /** RFC 3339; of what lasts: since when. */
  readonly happenedAt: string;
  /** RFC 3339; of what is over: since when. */
  readonly overAt: string | null;
  /** One line. */
  readonly summary: string;
  /** Further lines. */
  readonly lines: readonly string[];
  /** Names that distinguish it from others of the kind: `node`, `namespace`, ... */
  readonly labels: Readonly<Record<string, string>>;
  /** With the members of the API. */
  readonly data: object;
}

/** An event that is not yet for a certain rule. */
export type NewNotification = Omit<NotificationEvent, 'id' | 'cluster' | 'rule' | 'kind'> & {
  readonly kind: NotificationKind;
  /** Distinguishes it from all others of the kind in the cluster, now and later; letters, digits and hyphens. */
  readonly key: string;
};

const SEVERITIES: readonly NotificationSeverity[] = ['info', 'warning', 'critical'];

export const isAtLeast = (severity: NotificationSeverity, least: NotificationSeverity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
