import { lookup as lookupName, Resolver } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** An IP address of a host. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a name. Rejects if there are none. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** A URL or a name leads to an address that is not public. */
export class NotPublic extends Error {}

/**
 * IPv4 addresses that nobody on the internet has (IANA, "IPv4 Special-Purpose Address Registry"): private
 * networks, this machine, link-local ones with the metadata services of clouds, tests, multicast.
 */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // A public address at which a machine in Azure finds its host.
  '168.63.129.16/32',
];

/** Of IPv6, only these addresses are given to anybody. */
const global6 = '2000::/3';

/** Of those, these lead elsewhere, have an IPv4 address inside, or are for documents. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20'];

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const isSpecial4 = listOf(special4, 'ipv4');
const isGlobal6 = listOf([global6], 'ipv6');
const isSpecial6 = listOf(special6, 'ipv6');

/**
 * Whether an IP address is one of the public internet. Whatever is not known to be one is not: also an IPv4
 * address in an IPv6 one (`::ffff:…`, `64:ff9b::…`), and a link-local address with a zone.
 */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !isSpecial4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return isGlobal6.check(address, 'ipv6') && !isSpecial6.check(address, 'ipv6');
}

/** The IP address that a URL names in place of a host; null if it names a host. */
export function literalIn({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? null : bare;
}

/** Throws `NotPublic` if a URL names an address that is not public. Names are not asked for. */
export function checkLiteral(url: URL): void {
  const literal = literalIn(url);
  if (literal !== null && !isPublic(literal)) throw new NotPublic(`${literal} is no public address`);
}

/** A name server that does not answer is given up after this time, and asked once more. */
const nameServerMs = 2000;

/**
 * Asks the name servers. The function of the system would read `/etc/hosts`, too, but it blocks one of the four
 * threads that also write files: a few names that do not answer would keep the state from being saved.
 */
export const resolveByServers: Resolve = async (hostname) => {
  // A new one reads the list of name servers anew, which may change while the program runs for years.
  const resolver = new Resolver({ timeout: nameServerMs, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found: Address[] = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
  ];
  if (found.length === 0) {
    const reason = four.status === 'rejected' ? (four.reason as NodeJS.ErrnoException).code : 'no address';
    throw new Error(`the name ${hostname} has no address (${reason})`);
  }
  return found;
};

/** Asks the system, which also knows the names of this machine and of its network. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await lookupName(hostname, { all: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

/**
 * Allows only names that lead to public addresses alone. A name that leads to both kinds has been made for an
 * attack, or is a mistake.
 */
export function publicOnly(resolve: Resolve): Resolve {
  return async (hostname) => {
    const found = await resolve(hostname);
    const inside = found.find(({ address }) => !isPublic(address));
    if (inside) throw new NotPublic(`${hostname} leads to ${inside.address}, which is no public address`);
    return found;
  };
}
