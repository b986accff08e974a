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
