import type { Holdings } from './holdings.ts'
import { Refusal } from './refusal.ts'
import type { Answer, Asked } from './request.ts'
import { showJob } from './show.ts'
import type { Ways } from './ways.ts'

const PARTNERS = [2001, 2002].map((id) => ({
  name: `Partner ${id}`,
  id,
  features: [{ type: 'SEGMENT_MATCH', signals: ['EMAIL', 'BGID'] }],
  deliveryScopes: ['CABLE', 'CUSTOM_1'],
  customDeliveryScopesDetail: [{ label: `Premium homes of ${id}`, value: 'CUSTOM_1' }],
}))

const GROUPS = [9001n, 9007199254740993n].map((groupId) => ({
  groupId,
  groupName: `Group ${groupId}`,
  description: '',
  features: ['AGGREGATED_MATCH'],
  groupMembers: [2001, 2002],
  groupAccess: [1001],
  parameters: { roles: null },
  deliveryScopes: ['CABLE'],
}))

export function listPartners(): Answer {
  return { status: 200, body: { partners: PARTNERS } }
}

export function getPartner({ values }: Asked): Answer {
  return { status: 200, body: found(PARTNERS.find(({ id }) => String(id) === values[0])) }
}

export function listGroups(): Answer {
  return { status: 200, body: { group: GROUPS } }
}

export function getGroup({ values }: Asked): Answer {
  return { status: 200, body: found(GROUPS.find(({ groupId }) => String(groupId) === values[0])) }
}

export function getJob({ values }: Asked, holdings: Holdings, ways: Ways): Answer {
  const now = holdings.now()
  const job = holdings.jobs.get(values[0] ?? '')
  const isShown = job && now >= job.startedAt + ways.jobHiddenMs && now <= job.endsAt + ways.jobKeptMs
  return { status: 200, body: showJob(found(isShown ? job : undefined), now, ways) }
}

function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Refusal({ status: 404, body: '' })
  return thing
}
