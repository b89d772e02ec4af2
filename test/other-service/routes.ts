import { createActivation, deleteActivation, getActivation, listActivations } from './activations.ts'
import { getGroup, getJob, getPartner, listGroups, listPartners } from './directory.ts'
import { deleteFile, listFiles, uploadFile } from './files.ts'
import type { Holdings } from './holdings.ts'
import { createMatch, deleteMatch, getMatch, listMatches, refreshMatch, splitMatch } from './matches.ts'
import type { Answer, Asked } from './request.ts'
import {
  createSegment,
  deleteSegment,
  getSegment,
  listSegments,
  refreshSegment,
  shareSegment,
  updateSegment,
} from './segments.ts'
import type { Ways } from './ways.ts'

export interface Route {
  readonly id: string
  readonly method: string
  /** `*` stands for a value. */
  readonly path: readonly string[]
  readonly answer: (asked: Asked, holdings: Holdings, ways: Ways) => Answer | Promise<Answer>
}

/** The first match counts, so fixed words win over values. */
export function routesOf({ paths }: Ways): readonly Route[] {
  const route = (id: string, where: string, answer: Route['answer']): Route => {
    const [method = '', path = ''] = where.split(' ')
    return { id, method, path: path.split('/').slice(1), answer }
  }
  return [
    route('files.upload', 'POST /api/files', uploadFile),
    route('files.list', 'GET /api/files', listFiles),
    route('files.delete', 'DELETE /api/files/*', deleteFile),
    route('matches.create', 'POST /api/segments/match', createMatch),
    route('matches.list', 'GET /api/segments/match', listMatches),
    route('matches.refresh', 'POST /api/segments/match/refresh/*', refreshMatch),
    route('matches.testControl', 'POST /api/segments/match/test-control/*', splitMatch),
    route('matches.get', 'GET /api/segments/match/*', getMatch),
    route('matches.delete', 'DELETE /api/segments/match/*', deleteMatch),
    route('segments.create', 'POST /api/segments', createSegment),
    route('segments.list', 'GET /api/segments', listSegments),
    route('segments.get', 'GET /api/segments/*', getSegment),
    route('segments.update', 'PUT /api/segments/*', updateSegment),
    route('segments.refresh', 'PUT /api/segments/*/refresh', refreshSegment),
    route('segments.share', 'POST /api/segments/share', shareSegment),
    route('segments.delete', 'DELETE /api/segments/*', deleteSegment),
    route('activations.create', 'POST /api/activations', createActivation),
    route('activations.list', 'GET /api/activations/activations', listActivations),
    route('activations.get', 'GET /api/activations/*', getActivation),
    route('activations.delete', 'DELETE /api/activations/*', deleteActivation),
    route('groups.list', `GET ${paths.groups}`, listGroups),
    route('groups.get', 'GET /api/groups/*', getGroup),
    route('partners.list', `GET ${paths.partners}`, listPartners),
    route('partners.get', 'GET /api/partners/*', getPartner),
    route('jobs.get', 'GET /api/jobs/*', getJob),
  ]
}

/** The route of a request and the values of its path. */
export function routeOf(
  routes: readonly Route[],
  method: string,
  parts: readonly string[],
): { readonly route: Route; readonly values: readonly string[] } | undefined {
  const route = routes.find(
    (each) =>
      each.method === method &&
      each.path.length === parts.length &&
      each.path.every((word, index) => word === '*' || word === parts[index]),
  )
  return route && { route, values: parts.filter((_, index) => route.path[index] === '*') }
}
