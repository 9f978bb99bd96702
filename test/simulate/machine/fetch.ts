import type { LiveNetwork } from '../network.ts';
import type { Random } from '../random.ts';
import type { Owner, Schedule } from '../schedule.ts';

/** What `fetch` of a process needs. */
export interface FetchCalls {
  readonly live: LiveNetwork;
  readonly schedule: Schedule;
  readonly owner: Owner;
  readonly random: Random;
  /** Resolves when the process ends: then its connections are closed. */
  readonly ended: Promise<unknown>;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** How long what is on the way takes to arrive at most, in milliseconds. */
const arrivesWithinMs = 50;

/** Makes `fetch` of a process. It reaches the services of the run; each piece takes its time on the way. */
export function fetchOf({ live, schedule, owner, random, ended }: FetchCalls) {
  const open = new Set<() => void>();
  void ended.then(() => {
    for (const leave of open) leave();
  });
  const onTheWay = () =>
    new Promise<void>((resolve) => void schedule.after(1 + random.below(20), owner, resolve));

  return async function fetch(
    target: string,
    {
      headers = {},
      signal = null,
    }: { headers?: Readonly<Record<string, string>>; signal?: AbortSignal | null } = {},
  ): Promise<Response> {
    signal?.throwIfAborted();
    const url = new URL(target);
    const service = live.get(url.origin);
    if (!service)
      throw new TypeError('fetch failed', { cause: new Error(`getaddrinfo ENOTFOUND ${url.host}`) });
    const gone: (() => void)[] = [];
    const leave = () => {
      open.delete(leave);
      for (const listener of gone.splice(0)) listener();
    };
    const closed = (text: string) => new TypeError('fetch failed', { cause: new Error(text) });
    await onTheWay();
    signal?.throwIfAborted();
    const connection = service.connect();
    if (!connection) throw closed(`connect ECONNREFUSED ${url.host}`);
    open.add(leave);
    /** Rejects when the client gives up, or the program ends that answers. */
    const broken = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      // What was sent before it ended still arrives.
      void connection.ended.then(() =>
        schedule.after(arrivesWithinMs, owner, () => reject(closed('other side closed'))),
      );
    });
    broken.catch(leave);
    const cuttable = <Result>(work: Promise<Result>) => Promise.race([work, broken]);
    const path = url.pathname + url.search;
    const answered = connection
      .answer({ path, headers, onGone: (listener) => void gone.push(listener) })
      .catch((cause: unknown) => {
        throw new TypeError('fetch failed', { cause });
      });
    const response = await cuttable(answered);
    await cuttable(onTheWay());
    if (response.body === null) return response;
    return new Response(bodyOf(response, path), response);

    function bodyOf({ body, headers: answer }: Response, of: string): ReadableStream<Uint8Array> {
      const reader = (body as ReadableStream<Uint8Array>).getReader() as Reader;
      let askedMs = schedule.nowMs();
      // The time that a client takes for what it has is not the silence of the service.
      let isAsked = false;
      const heard = () => {
        if (isAsked) service?.heard(of, answer, schedule.nowMs() - askedMs);
        isAsked = false;
      };
      broken.catch(heard);
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            [askedMs, isAsked] = [schedule.nowMs(), true];
            const { done, value } = await cuttable(reader.read());
            await cuttable(onTheWay());
            if (!open.has(leave)) return;
            heard();
            if (!done) return controller.enqueue(value);
            isAsked = false;
            leave();
            controller.close();
          },
          cancel() {
            isAsked = false;
            leave();
            void reader.cancel().catch(() => {});
          },
        },
        { highWaterMark: 0 },
      );
    }
  };
}
