import { useAccess } from '../../api/access.js';
import { useCancellable } from '../../api/cancellable.js';
import { SERVICE, service, token } from '../../api/service.js';
import { Failure } from '../../ui/failure.js';
import { GuardedButton } from '../../ui/guarded-button.js';
import { LateProgress } from '../../ui/progress.js';
import { asQuery, type RecordFilters } from './queries.js';

/** An export has an order of its own. */
export type ExportFilters = Omit<RecordFilters, 'order'>;

const FORMATS = ['ndjson', 'csv'] as const;

/** Every record that the filters let through, as a file. */
export function Export({ cluster, filters }: { readonly cluster: string; readonly filters: ExportFilters }) {
  const access = useAccess(cluster).data;
  const save = useCancellable((format: (typeof FORMATS)[number], signal) => download(cluster, filters, format, signal));
  const whyNot =
    access?.taintValues === false ? ['Values are masked for you, and masked records cannot be verified.'] : [];
  return (
    <div>
      <h2>Export</h2>
      <p className="quiet">
        The records that the filters above let through. NDJSON can be verified; CSV is for spreadsheets.
      </p>
      <div className="trail-actions">
        {FORMATS.map((format) =>
          token.get() === null && whyNot.length === 0 ? (
            <a key={format} href={exportUrl(cluster, filters, format)} download={fileName(cluster, format)}>
              {format.toUpperCase()}
            </a>
          ) : (
            <GuardedButton key={format} whyNot={save.isPending ? ['…'] : whyNot} onClick={() => save.mutate(format)}>
              {format.toUpperCase()}
            </GuardedButton>
          ),
        )}
      </div>
      {save.isPending && <LateProgress onCancel={save.cancel}>Exporting the trail…</LateProgress>}
      {save.error !== null && <Failure error={save.error} />}
    </div>
  );
}

function exportUrl(cluster: string, filters: ExportFilters, format: string): string {
  const query = new URLSearchParams({ ...stringsOf(filters), format });
  return `${SERVICE}/api/v1/clusters/${encodeURIComponent(cluster)}/taint-trail/export?${query.toString()}`;
}

const fileName = (cluster: string, format: string): string => `${cluster}-trail.${format}`;

/** With a pasted token, which only this page has: the browser cannot follow a link with it. */
async function download(
  cluster: string,
  filters: ExportFilters,
  format: (typeof FORMATS)[number],
  signal: AbortSignal,
): Promise<void> {
  const records = await service.get('/api/v1/clusters/{cluster}/taint-trail/export', {
    path: { cluster },
    query: { ...asQuery(filters), format },
    as: 'stream',
    signal,
  });
  const file = await new Response(records).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = fileName(cluster, format);
  link.click();
  URL.revokeObjectURL(link.href);
}

const stringsOf = (filters: ExportFilters): Record<string, string> =>
  Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
