import { activations } from './cases/activations.ts'
import { addressing } from './cases/addressing.ts'
import { files } from './cases/files.ts'
import { jobs } from './cases/jobs.ts'
import { matchCreate } from './cases/match-create.ts'
import { matchJobs } from './cases/match-jobs.ts'
import { matches } from './cases/matches.ts'
import { negotiation } from './cases/negotiation.ts'
import { network } from './cases/network.ts'
import { pages } from './cases/pages.ts'
import { problems } from './cases/problems.ts'
import { segmentCreate } from './cases/segment-create.ts'
import { segmentRefresh } from './cases/segment-refresh.ts'
import { segmentShare } from './cases/segment-share.ts'
import { segments } from './cases/segments.ts'
import { values } from './cases/values.ts'
import type { ConformanceCase } from './conformance-case.ts'

/** Every case, by decision. */
export const allCases: readonly ConformanceCase[] = [
  ...addressing,
  ...negotiation,
  ...values,
  ...segmentCreate,
  ...segments,
  ...segmentRefresh,
  ...segmentShare,
  ...matchCreate,
  ...matches,
  ...matchJobs,
  ...activations,
  ...files,
  ...network,
  ...jobs,
  ...pages,
  ...problems,
].toSorted((one, other) => one.decision - other.decision)

/** Whether a case takes long with any service, because of large files or a thousand pages. */
export const isSlow = ({ needs = [] }: ConformanceCase) => needs.includes('slow')
