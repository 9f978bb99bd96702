import type { PublishedChange } from '../clients.ts';
import { page, type NetworkAnswer } from '../network.ts';
import { randomOf } from '../random.ts';
import { always } from '../schedule.ts';
import type { World } from '../world.ts';
import { createReader, type Reader } from './readers.ts';

/** What a receiver of messages does. */
type Behaviour =
  /** It takes messages, but for some that fail once. */
  | 'well'
  | 'down'
  /** It takes connections, and never answers. */
  | 'hangs'
  /** Each message fails once. */
  | 'fails first';

/** A receiver of messages of `deliver`, and what it got. */
export interface Receiver {
  readonly name: string;
  readonly reader: Reader;
  behaviour: Behaviour;
  /** How many messages are taken before it is down. */
  takesMore: number;
  /** When it last got a message, in milliseconds since 1970. */
  readonly askedMs: () => number;
  /** Somebody starts or stops the program, or gives it a command: no retry is expected of what came before. */
  disturb(): void;
}

/** How late the first retry may come, in milliseconds, with what the network takes. */
const firstRetryMs = 5000 + 200;
/** One in this many messages meets no good answer although the receiver is well. */
const failsOneIn = 25;

/** The endpoint that wants one family of forms, and these forms. */
export const formsOfSome = ['8-K', '8-K/A'];

/** Makes a receiver, and lets the network know it. */
export function createReceiver(world: World, name: string): Receiver {
  const { schedule } = world;
  const random = randomOf(world.history.seed, `receiver ${name}`);
  const reader = createReader(world, `the endpoint ${name}`, {
    from: null,
    mayRepeat: true,
    wants: ({ filing }) => name !== 'some' || formsOfSome.includes(filing.form),
  });
  let failures = 0;
  let attempts = 0;
  let failedId: string | null = null;
  let askedMs = -Infinity;

  /** After the first failure in a row the message comes again soon, whatever other receivers do. */
  function fail(id: string, answer: NetworkAnswer): NetworkAnswer {
    if (++failures > 1) return answer;
    const number = attempts;
    schedule.after(firstRetryMs, always, () => {
      if (attempts === number)
        world.fail(`the endpoint ${name} did not accept ${id}, and gets it again later than 5 seconds after`);
    });
    return answer;
  }

  function accept(change: PublishedChange): NetworkAnswer {
    failures = 0;
    failedId = null;
    reader.take(change);
    return { status: 204, headers: {}, body: Buffer.alloc(0) };
  }

  const receiver: Receiver = {
    name,
    reader,
    behaviour: 'well',
    takesMore: 0,
    askedMs: () => askedMs,
    disturb: () => void attempts++,
  };
  world.machine.network.set(`http://${name}.test`, ({ headers, body }) => {
    const id = headers['webhook-id'] ?? '';
    const { data } = JSON.parse(body ?? '') as { data: PublishedChange };
    attempts++;
    askedMs = schedule.nowMs();
    if (receiver.behaviour === 'hangs') {
      failures++;
      return { ...page(200, ''), stalledAfter: 0 };
    }
    if (receiver.behaviour === 'down' && receiver.takesMore-- <= 0) {
      failures++;
      return page(503, 'down');
    }
    if (receiver.behaviour === 'fails first' && failedId !== id) {
      failedId = id;
      return fail(id, page(503, 'try again'));
    }
    if (receiver.behaviour === 'well' && random.oneIn(failsOneIn))
      return fail(id, { ...page(503, 'try again'), ...(random.oneIn(2) ? { brokenAfter: 0 } : {}) });
    return accept(data);
  });
  return receiver;
}
