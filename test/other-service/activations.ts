import { type Activation, type Holdings, isBusy } from './holdings.ts'
import { pageOf } from './lists.ts'
import { invalid, Refusal } from './refusal.ts'
import { type Answer, type Asked, integer, oneOf, required, text } from './request.ts'
import { showActivation, showJob } from './show.ts'
import type { Ways } from './ways.ts'

export function createActivation(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const request = asked.json()
  required(request, 'activationName', 200)
  for (const name of ['campaignName', 'agency', 'brand']) text(request, name, 200)
  oneOf(Number(integer(request, 'refreshRate')), 'refreshRate', [0, 30, 60, 90])
  oneOf(request.actionType, 'actionType', ['REQUEST'])
  const matchJobId = required(request, 'matchJobId', Number.POSITIVE_INFINITY)
  const match = holdings.matches.find((each) => jobsOf(each, ways).some(({ id }) => id === matchJobId))
  if (!match) throw new Refusal({ status: 404, body: '' })
  if (match.request.segmentId !== request.segmentId) throw invalid('the match is of another segment')
  if (isBusy(match, holdings.now())) throw invalid('the match has not finished')
  const id = holdings.number()
  const job = holdings.start(true, () => ({ activationId: id }))
  holdings.activations.push({ id, request, myRole: 'Requester', job })
  return { status: ways.accepted, body: showJob(job, holdings.now(), ways) }
}

/** The jobs that an activation may name: those that the match shows or has shown. */
function jobsOf({ shownJobs }: Holdings['matches'][number], { matchJobId }: Ways) {
  return matchJobId === 'creating' ? shownJobs.slice(0, 1) : shownJobs
}

export function getActivation(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const activation = existing(asked, holdings, ways)
  if (holdings.now() < activation.job.endsAt + ways.madeHiddenMs) throw new Refusal(ways.gone)
  return { status: 200, body: showActivation(activation, ways) }
}

export function listActivations(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const hiddenMs = Math.max(ways.listedAfterMs.activations, ways.madeHiddenMs)
  const found = holdings.activations.filter(({ job }) => holdings.now() >= job.endsAt + hiddenMs)
  return pageOf(
    'activations',
    found.map((activation) => showActivation(activation, ways)),
    asked,
    ways,
  )
}

export function deleteActivation(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const activation = existing(asked, holdings, ways)
  holdings.activations.splice(holdings.activations.indexOf(activation), 1)
  holdings.deleted.activations += 1
  return { status: ways.deleted }
}

function existing({ values }: Asked, holdings: Holdings, ways: Ways): Activation {
  const [value = ''] = values
  if (!/^\d+$/.test(value)) throw invalid('an activation is named by a number')
  const activation = holdings.activations.find(({ id }) => id === value)
  if (!activation || holdings.now() < activation.job.endsAt) throw new Refusal(ways.gone)
  return activation
}
