import type { Activation } from '../../contract/activations.ts'
import { invalidField, notFound } from '../api-error.ts'
import type { OperationHandlers, OperationsOf, ServiceCall } from '../call.ts'
import { type Approval, JOB_ID, type JobRequest, type StoredJob } from '../jobs/job.ts'
import type { Participant } from '../network/network.ts'
import type { StoredActivation } from '../storage/activation-store.ts'
import type { StoredMatch } from '../storage/match-store.ts'
import { pageWith } from '../storage/page.ts'
import { approvalBy, findPartner } from './partnership.ts'
import { insertJob, startJob } from './start-job.ts'

export const activationHandlers: OperationHandlers<OperationsOf<'activations'>> = {
  'activations.create'(call, input) {
    const { campaignStartDate = null, campaignEndDate = null } = input
    if (campaignStartDate !== null && campaignEndDate !== null && isBefore(campaignEndDate, campaignStartDate)) {
      throw invalidField('campaignEndDate', 'is before campaignStartDate')
    }
    const match = matchToActivate(call, input)
    const request: JobRequest = {
      kind: 'activations.create',
      approval: approvalOf(call, match),
      approver: match.approver,
      activationName: input.activationName,
      campaign: input.campaignName ?? null,
      agency: input.agency ?? null,
      brand: input.brand ?? null,
      campaignStartDate,
      campaignEndDate,
      refreshRate: input.refreshRate,
      spi: match.spi,
      deliveryScopes: [...match.deliveryScopes],
    }
    return startJob(call, () => insertJob(call, { segmentId: match.segmentId, matchId: match.id, request }))
  },

  'activations.delete'({ store, caller }, { id }) {
    const activation = store.activations.findVisible(caller.id, id)
    if (activation?.requester !== caller.id) throw notFound('activation', id)
    store.transaction(() => store.activations.delete(id))
    return undefined
  },

  'activations.get'({ store, caller }, { id }) {
    const activation = store.activations.findVisible(caller.id, id)
    if (!activation) throw notFound('activation', id)
    return activationView(activation, caller)
  },

  'activations.list'({ store, caller }, input) {
    const { items, ...rest } = pageWith(input, (range) => store.activations.list(caller.id, range))
    return { activations: items.map((activation) => activationView(activation, caller)), ...rest }
  },
}

/** Finds the match of a job that created, modified or refreshed it (decision 72). Decision 99 says what is refused. */
function matchToActivate(call: ServiceCall, input: { segmentId: string; matchJobId: string }): StoredMatch {
  const { store, caller } = call
  const job = findMatchJob(call, input.matchJobId)
  const match = job?.matchId ? store.matches.findVisible(caller.id, job.matchId) : undefined
  if (!job || match?.requester !== caller.id) throw notFound('match job', input.matchJobId)
  if (match.segmentId !== input.segmentId) {
    throw invalidField('segmentId', `match ${match.id} of job ${job.id} belongs to another segment`)
  }
  if (match.segment.state === 'deleted') throw invalidField('segmentId', `segment ${input.segmentId} was deleted`)
  if (match.status !== 'FINISHED')
    throw invalidField('matchJobId', `match ${match.id} is ${match.status}, not FINISHED`)
  if (job.status !== 'SUCCESS') throw invalidField('matchJobId', `job ${job.id} ended as ${job.status}`)
  return match
}

function findMatchJob({ store, caller }: ServiceCall, id: string): StoredJob | undefined {
  const job = JOB_ID.test(id) ? store.jobs.find(id) : undefined
  return job?.participant === caller.id && job.request.kind.startsWith('matches.') ? job : undefined
}

/** Who must approve an activation. Members of a group have agreed to its matches and to what follows from them. */
function approvalOf({ network, store, caller }: ServiceCall, match: StoredMatch): Approval {
  if (match.approver === null) return 'auto'
  const partner = findPartner(network, caller, match.approver)
  const segment = store.segments.find(match.segmentId)
  return partner && segment ? approvalBy(partner, segment) : 'reject'
}

function isBefore(a: string, b: string): boolean {
  return Date.parse(a) < Date.parse(b)
}

function activationView(activation: StoredActivation, caller: Participant): Activation {
  return {
    myRole: activation.requester === caller.id ? 'Requester' : 'Approver',
    ActivationId: activation.id,
    ActivationName: activation.activationName,
    Status: activation.status,
    spi: activation.spi,
    deliveryScopes: [...activation.deliveryScopes],
    campaign: activation.campaign,
    agency: activation.agency,
    brand: activation.brand,
  }
}
