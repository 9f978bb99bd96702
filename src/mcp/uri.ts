import { ApiError, mustBe } from '../contract/errors.ts';
import { withoutControls } from '../contract/parameters.ts';
import { invalid } from '../query/checks.ts';
import { allResources, type ResourceTemplate } from '../contract/resources.ts';

/** A resource that a URI names, with the arguments in the URI as they came. */
export interface NamedResource {
  readonly template: ResourceTemplate;
  readonly given: Readonly<Record<string, string>>;
}

/** Longer URIs are refused, in characters. The longest useful one has a cursor. */
const uriMaximum = 4000;

/** Scheme, segments, and query. There is no user, port or fragment. */
const uriPattern = /^([a-z]+):\/\/([^?#@\\]*)(?:\?([^#]*))?$/i;

const routes = allResources.map((template) => {
  const [scheme = '', path = ''] = template.uriTemplate.split('://');
  return { template, scheme, segments: path.split('/') };
});

const schemes = [...new Set(routes.map(({ scheme }) => scheme))].map((scheme) => `${scheme}://`).join(', ');

/**
 * The resource that a URI names. Throws `not_found` for one that no template and no list of the reference has,
 * and `invalid_parameter` for a text that is no URI or gives an argument twice.
 */
export function resourceNamed(uri: string): NamedResource {
  const [, scheme = '', path = '', query] = uriPattern.exec(uri) ?? [];
  if (uri.length > uriMaximum || !withoutControls.test(uri) || scheme === '')
    throw invalid(mustBe('uri', `one of ${schemes} with at most ${uriMaximum} characters`, uri));
  const segments = path.replace(/\/$/, '').split('/').map(decoded);
  if (segments.some((segment) => segment === null || !withoutControls.test(segment)))
    throw invalid(mustBe('uri', 'percent-encoded UTF-8 without control characters', uri));
  const found = routes.find(
    (route) =>
      route.scheme === scheme.toLowerCase() &&
      route.segments.length === segments.length &&
      route.segments.every((own, at) => own.startsWith('{') || own === segments[at]),
  );
  if (!found)
    throw new ApiError(
      'not_found',
      `${mustBe('uri', `a resource of ${schemes}`, uri)}; resources/list and resources/templates/list name them`,
    );
  const given = new Map(
    found.segments.flatMap((own, at) =>
      own.startsWith('{') ? [[own.slice(1, -1), segments[at] as string] as const] : [],
    ),
  );
  for (const [name, value] of new URLSearchParams(query ?? '')) {
    if (given.has(name)) throw invalid(`${name}: must be given once in a URI`);
    given.set(name, value);
  }
  return { template: found.template, given: { ...found.template.preset, ...Object.fromEntries(given) } };
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
