import { parseJson, stringifyJson } from '../../src/core/json.ts'
import type { Breakage, Returning } from './breaking-proxy.ts'
import { VENDOR } from './http-client.ts'

/** Services that are each wrong in one way, and the decision whose cases must notice it. */
export const breakages: readonly Breakage[] = [
  {
    name: 'takes any token under every prefix',
    decision: 1,
    request: (request) => ({ ...request, path: request.path.replace(/^\/p\/\d+/, '/p/1001') }),
  },
  {
    name: 'decodes path values twice',
    decision: 2,
    request: (request) => ({ ...request, path: request.path.replaceAll('%25', '%') }),
  },
  { name: 'does not look at Accept', decision: 3, request: withHeader('accept', VENDOR) },
  { name: 'deletes files under any Accept', decision: 4, request: withHeader('accept', VENDOR) },
  { name: 'knows no q-values', decision: 5, request: (request) => rewritten(request, 'accept', /;q=[\d.]+/g, '') },
  { name: 'answers application/json', decision: 6, response: withHeader('content-type', 'application/json') },
  { name: 'reads every body as JSON', decision: 7, request: withHeader('content-type', 'application/json') },
  { name: 'refuses a token without WWW-Authenticate', decision: 9, response: withoutHeader('www-authenticate') },
  {
    name: 'limits the rate of requests',
    decision: 11,
    response: (response) => ({ ...response, headers: { ...response.headers, 'retry-after': '1' } }),
  },
  {
    name: 'refuses unknown query parameters although it is not strict',
    decision: 13,
    response: (response, { path }) => (path.includes('colour') ? { ...response, status: 400 } : response),
  },
  { name: 'takes numbers in quotes', decision: 14, request: body(/"(\d\d)"/g, '$1') },
  {
    name: 'refuses null',
    decision: 15,
    response: (response, request) => (request.body.includes(':null') ? { ...response, status: 400 } : response),
  },
  {
    name: 'takes enumerations in any case',
    decision: 16,
    request: (request) => ({ ...request, path: request.path.replace(/=[a-zA-Z_]+/g, (value) => value.toUpperCase()) }),
  },
  {
    name: 'ignores a trailing slash',
    decision: 17,
    request: (request) => ({ ...request, path: request.path.replace(/\/$/, '') }),
  },
  { name: 'says 405 without Allow', decision: 17, response: withoutHeader('allow') },
  {
    name: 'takes ZIPCODE files',
    decision: 21,
    request: (request) => ({
      ...request,
      path: request.path.replace('files?uploadSignal=ZIPCODE', 'files?uploadSignal=IP'),
    }),
  },
  {
    name: 'activates whatever the action type',
    decision: 30,
    request: body(/"actionType":[^,}]*/, '"actionType":"REQUEST"'),
  },
  {
    name: 'says segmentId null before there is one',
    decision: 34,
    response: json((value) => ('status' in value && 'id' in value ? { segmentId: null, ...value } : value)),
  },
  { name: 'cuts long names', decision: 36, request: body(/"segmentName":"(.{100})[^"]*"/, '"segmentName":"$1"') },
  { name: 'trims names', decision: 37, request: body(/"segmentName":"\s*([^"]*?)\s*"/, '"segmentName":"$1"') },
  {
    name: 'has a default for uploadDateWithSignals',
    decision: 38,
    request: body(/"uploadSignal":"IP"/, '"uploadSignal":"IP","uploadDateWithSignals":true'),
  },
  {
    name: 'takes one participantSegmentId many times',
    decision: 43,
    request: body(/"participantSegmentId":"([^"]*)"/, () => `"participantSegmentId":"${crypto.randomUUID()}"`),
  },
  { name: 'clears nothing', decision: 45, request: body(/,"(cpm|dataOwner|description)":null/g, '') },
  {
    name: 'answers 400 for an unknown segment',
    decision: 50,
    response: (response) => (response.status === 404 ? { ...response, status: 400 } : response),
  },
  {
    name: 'finds segments by the beginning of their participantSegmentId',
    decision: 51,
    request: (request) => ({ ...request, path: request.path.replace(/\?participantSegmentId=[^&]*$/, '') }),
  },
  {
    name: 'answers a delete with 204',
    decision: 53,
    response: (response, { method }) =>
      method === 'DELETE' && response.status === 200 ? { ...response, status: 204, headers: {} } : response,
  },
  {
    name: 'says deliveryScopes in a match',
    decision: 63,
    response: (response) => ({ ...response, body: response.body.replace('"deliveryScope":', '"deliveryScopes":') }),
  },
  {
    name: 'matches without BGIDs where nothing is said',
    decision: 65,
    response: (response) => ({ ...response, body: response.body.replace('"shareBgIds":true', '"shareBgIds":false') }),
  },
  {
    name: 'reads numbers as doubles',
    decision: 68,
    response: (response) => ({ ...response, body: response.body.replaceAll('9007199254740993', '9007199254740992') }),
  },
  {
    name: 'says matchId as a string',
    decision: 70,
    response: (response) => ({ ...response, body: response.body.replace(/"matchId":(\d+)/g, '"matchId":"$1"') }),
  },
  {
    name: 'answers every write with 200',
    decision: 75,
    response: (response) => (response.status === 202 ? { ...response, status: 200 } : response),
  },
  {
    name: 'takes percentages above 100',
    decision: 77,
    request: body(/"shaveOffPercent":101/, '"shaveOffPercent":100'),
  },
  {
    name: 'counts before the match is finished',
    decision: 91,
    response: json((value) =>
      'matchCount' in value && value.status !== 'FINISHED' ? { ...value, matchCount: 7 } : value,
    ),
  },
  {
    name: 'says activationId',
    decision: 94,
    response: (response) => ({ ...response, body: response.body.replaceAll('"ActivationId"', '"activationId"') }),
  },
  {
    name: 'lists activations at /api/activations',
    decision: 96,
    request: (request) =>
      request.method === 'GET'
        ? { ...request, path: request.path.replace(/\/api\/activations$/, '/api/activations/activations') }
        : request,
  },
  {
    name: 'has defaults for where a file belongs',
    decision: 105,
    request: (request) => ({
      ...request,
      path: request.path.replace(/files$/, 'files?uploadSignal=EMAIL&resultContent=BGID'),
    }),
  },
  {
    name: 'takes a part of any name for the file',
    decision: 106,
    request: body(/form-data; name="data"/, 'form-data; name="file"'),
  },
  {
    name: 'has one place for all files',
    decision: 111,
    request: (request) => ({ ...request, path: request.path.replace('Signal=ADDRESS', 'Signal=EMAIL') }),
  },
  {
    name: 'says groups',
    decision: 116,
    response: (response) => ({ ...response, body: response.body.replace('{"group":', '{"groups":') }),
  },
  {
    name: 'finds a feature and a signal in different features',
    decision: 120,
    request: (request) => ({ ...request, path: request.path.replace(/featureType=[A-Z_]+&signal/, 'signal') }),
  },
  {
    name: 'answers an empty list where no integration matches',
    decision: 121,
    response: (response, { path }) =>
      response.status === 404 && path.includes('integrations')
        ? { ...response, status: 200, body: '{"integrations":[],"page":0,"pageSize":10,"hasMore":false}' }
        : response,
  },
  {
    name: 'starts jobs as READY and goes back to PENDING',
    decision: 124,
    response: (response, { method }) =>
      method === 'POST' ? { ...response, body: response.body.replace('"PENDING"', '"READY"') } : response,
  },
  {
    name: 'says null for ids that do not apply',
    decision: 129,
    response: json((value) => ('status' in value && 'id' in value ? { activationId: null, ...value } : value)),
  },
  {
    name: 'clamps the page size',
    decision: 130,
    request: (request) => ({ ...request, path: request.path.replace('pageSize=101', 'pageSize=100') }),
  },
  {
    name: 'says pages as strings',
    decision: 131,
    response: (response) => ({ ...response, body: response.body.replace(/"page":(\d+)/, '"page":"$1"') }),
  },
  {
    name: 'promises more after a full last page',
    decision: 132,
    response: json((value) =>
      Array.isArray(value.files) && value.files.length === value.pageSize ? { ...value, hasMore: true } : value,
    ),
  },
  {
    name: 'describes errors as plain JSON',
    decision: 135,
    response: (response) =>
      response.status >= 400 ? withHeader('content-type', 'application/json')(response) : response,
  },
]

interface WithHeaders {
  readonly headers: Readonly<Record<string, string>>
}

/** Replaces a header, or adds it. */
function withHeader(name: string, value: string): <Message extends WithHeaders>(message: Message) => Message {
  return (message) => ({ ...message, headers: { ...message.headers, [name]: value } })
}

function withoutHeader(name: string): <Message extends WithHeaders>(message: Message) => Message {
  return (message) => {
    const { [name]: _, ...headers } = message.headers
    return { ...message, headers }
  }
}

function rewritten<Message extends WithHeaders>(message: Message, name: string, from: RegExp, to: string): Message {
  const value = message.headers[name]
  return value === undefined ? message : withHeader(name, value.replace(from, to))(message)
}

function body(from: RegExp, to: string | (() => string)): NonNullable<Breakage['request']> {
  return (request) => ({
    ...request,
    body: typeof to === 'string' ? request.body.replace(from, to) : request.body.replace(from, to),
  })
}

/** Changes the objects that are answered. */
function json(change: (value: Record<string, unknown>) => Record<string, unknown>): (response: Returning) => Returning {
  return (response) => {
    if (!response.body.startsWith('{')) return response
    return { ...response, body: stringifyJson(change(parseJson(response.body) as Record<string, unknown>)) }
  }
}
