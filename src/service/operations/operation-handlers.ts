import type { Group } from '../../contract/groups.ts'
import type { Partner } from '../../contract/partners.ts'
import { notFound, Refusal } from '../api-error.ts'
import type { OperationHandlers, ServiceCall } from '../call.ts'
import { JOB_ID } from '../jobs/job.ts'
import type { NetworkGroup, Participant } from '../network/network.ts'
import type { FileBucket } from '../storage/file-store.ts'
import { pageWith } from '../storage/page.ts'
import { receiveFile } from '../uploads/receive-file.ts'
import { activationHandlers } from './activations.ts'
import { matchHandlers } from './matches.ts'
import { findPartner, groupsOf, partnersOf } from './partnership.ts'
import { segmentHandlers } from './segments.ts'
import { jobView } from './start-job.ts'

/** The handler of each operation of the contract. */
export const operationHandlers: OperationHandlers = {
  ...segmentHandlers,
  ...matchHandlers,
  ...activationHandlers,
  async 'files.upload'(call, input) {
    const { store, blobs, clock } = call
    const content = call.newId()
    const { name, bytes } = await receiveFile(call.parts(), blobs.contentPath(content))
    const file = { ...bucketOf(call, input), name, content, bytes, uploadedAt: clock.now() }
    const replaced = store.transaction(() => store.files.put(file))
    blobs.release({ contents: [replaced] })
    return { name }
  },

  'files.list'(call, input) {
    const { items, ...rest } = pageWith(input, (range) => call.store.files.list(bucketOf(call, input), range))
    return { files: items.map((name) => ({ name })), ...rest }
  },

  'files.delete'(call, input) {
    const { store, blobs } = call
    const content = store.transaction(() => store.files.delete({ ...bucketOf(call, input), name: input.file }))
    if (content === undefined) throw notFound('file of this signal and result content named', input.file)
    blobs.release({ contents: [content] })
    return undefined
  },
  'groups.get'({ network, caller }, { id }) {
    const group = groupsOf(network, caller).find((candidate) => candidate.groupId === id)
    if (!group) throw notFound('group', id)
    return groupView(group)
  },

  'groups.list'({ network, caller }, { groupFeature }) {
    const groups = groupsOf(network, caller).filter((group) => !groupFeature || group.features.includes(groupFeature))
    return { group: groups.map(groupView) }
  },
  'partners.get'({ network, caller }, { id }) {
    const partner = findPartner(network, caller, id)
    if (!partner) throw notFound('partner', String(id))
    return partnerView(partner)
  },

  'partners.list'({ network, caller }, { featureType, signal }) {
    // One feature entry must satisfy both conditions (decision 120).
    const wanted = (feature: Participant['features'][number]) =>
      (!featureType || feature.type === featureType) && (!signal || feature.signals.includes(signal))
    const unfiltered = !featureType && !signal
    const partners = partnersOf(network, caller).filter((partner) => unfiltered || partner.features.some(wanted))
    return { partners: partners.map(partnerView) }
  },
  'integrations.list'({ network, caller }, input) {
    const matching = network.integrations.filter(
      ({ participantId, status, purpose }) =>
        participantId === caller.id && status === input.status && purpose === input.purpose,
    )
    if (matching.length === 0) {
      throw new Refusal('not-found', `there is no ${input.status} integration for ${input.purpose}`)
    }
    const { items, ...rest } = pageWith(input, ({ limit, offset }) => matching.slice(offset, offset + limit))
    return { integrations: items.map(({ participantId: _owner, ...integration }) => integration), ...rest }
  },
  'jobs.get'({ store, caller }, { jobId }) {
    const job = JOB_ID.test(jobId) ? store.jobs.findSummary(jobId) : undefined
    if (!job || job.participant !== caller.id) throw notFound('job', jobId)
    return jobView(job)
  },
}

function bucketOf(
  { caller }: ServiceCall,
  input: { featureType?: string; uploadSignal: string; resultContent: string },
): FileBucket {
  const { featureType = 'SEGMENT_UPLOAD', uploadSignal, resultContent } = input
  return { participant: caller.id, featureType, uploadSignal, resultContent }
}

function groupView(group: NetworkGroup): Group {
  return { ...group, parameters: { roles: group.parameters.roles ?? null } }
}

function partnerView({ id, name, features, deliveryScopes, customDeliveryScopesDetail }: Participant): Partner {
  return { id, name, features, deliveryScopes, customDeliveryScopesDetail }
}
