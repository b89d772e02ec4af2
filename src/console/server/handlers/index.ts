import type { Handlers } from '../call.ts'
import { retryFile, uploadFile, uploadInput } from './change-files.ts'
import { acknowledge, cancelRun, decide, retryRun } from './change-runs.ts'
import { backfill, pause, resume, withdraw } from './change-schedules.ts'
import { lookNow, pauseDeployment, resumeDeployment, rollBackTo, showChanges, showDeployment } from './deployments.ts'
import { serviceHandlers } from './embedded-service.ts'
import { listFigures } from './list-figures.ts'
import { listFiles, listSlots } from './list-slots.ts'
import {
  compareRuns,
  followEvents,
  listEvents,
  listHours,
  listRuns,
  listSteps,
  showDocument,
  showRun,
} from './read-runs.ts'
import { showOverview } from './show-overview.ts'
import { listPipelines, showPipeline } from './show-pipelines.ts'
import { makePlan, startRun } from './start-run.ts'
import { drain, endSession, listAudit, listWorkers, mute, showMe, undrain, unmute } from './system.ts'

export const handlers: Handlers = {
  'overview.get': showOverview,
  'me.get': showMe,
  'runs.list': listRuns,
  'runs.get': showRun,
  'runs.steps': listSteps,
  'runs.document': showDocument,
  'runs.logs': listEvents,
  'runs.events': followEvents,
  'runs.compare': compareRuns,
  'runs.start': startRun,
  'runs.decide': decide,
  'runs.cancel': cancelRun,
  'runs.acknowledge': acknowledge,
  'runs.retry': retryRun,
  'hours.list': listHours,
  'pipelines.list': listPipelines,
  'pipelines.get': showPipeline,
  'pipelines.figures': listFigures,
  'mutes.add': mute,
  'mutes.end': unmute,
  'workers.drain': drain,
  'workers.undrain': undrain,
  'slots.list': listSlots,
  'files.list': listFiles,
  'audit.list': listAudit,
  'workers.list': listWorkers,
  'plan.make': makePlan,
  'schedules.pause': pause,
  'schedules.resume': resume,
  'schedules.backfill': backfill,
  'schedules.withdraw': withdraw,
  'files.retry': retryFile,
  'files.upload': uploadFile,
  'uploads.add': uploadInput,
  'deployment.get': showDeployment,
  'deployment.changes': showChanges,
  'deployment.rollback': rollBackTo,
  'deployment.pause': pauseDeployment,
  'deployment.resume': resumeDeployment,
  'deployment.look': lookNow,
  ...serviceHandlers,
  'session.end': endSession,
}
