/** What the service says of itself. */
interface Health {
  readonly snapshotId: string;
  readonly stale: boolean;
}

function set(id: string, text: string, className = ''): void {
  const place = document.getElementById(id);
  if (place) Object.assign(place, { textContent: text, className });
}

/** Asks the service what it serves at this moment. */
async function ask(): Promise<void> {
  try {
    const response = await fetch('/health', { headers: { accept: 'application/json' } });
    const { snapshotId, stale } = (await response.json()) as Health;
    set('service', stale ? 'works; its data is stale' : 'works; its data is fresh', stale ? 'bad' : 'good');
    set('snapshot', snapshotId);
  } catch {
    set('service', 'did not answer', 'bad');
  }
}

void ask();
