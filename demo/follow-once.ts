/** An event of a cluster, as the demo prints it. */
export interface FollowedEvent {
  readonly id: string;
  readonly summary: string;
}

interface EventData {
  readonly id: string;
  readonly headChanged?: { readonly revision: number; readonly kind: string };
  readonly taintChangeRecorded?: {
    readonly nodes: readonly string[];
    readonly differences: readonly { readonly summary: string }[];
  };
}

/**
 * Reads server-sent events until the stream ends, or until `most` of them have arrived, and then closes the connection.
 * @param lastEventId resumes after the event with this id
 */
export async function followOnce(
  address: string,
  { most = Infinity, lastEventId }: { readonly most?: number; readonly lastEventId?: string },
): Promise<readonly FollowedEvent[]> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await fetch(address, { headers });
  if (!response.ok || response.body === null) throw new Error(`${address} answered ${response.status}`);
  const found: FollowedEvent[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === undefined || /^event: end$/m.test(event)) continue;
      found.push(followed(JSON.parse(data) as EventData));
      // Leaving the loop closes the connection.
      if (found.length >= most) return found;
    }
  }
  return found;
}

function followed({ id, headChanged, taintChangeRecorded }: EventData): FollowedEvent {
  if (headChanged !== undefined) return { id, summary: `revision ${headChanged.revision}, a ${headChanged.kind}` };
  const { differences = [], nodes = [] } = taintChangeRecorded ?? {};
  return { id, summary: `${nodes.join(', ')}: ${differences.map((difference) => difference.summary).join(', ')}` };
}
