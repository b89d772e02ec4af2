import type { ApiHandlers } from '../call.ts'
import { handleRetryFile, handleUploadFile, handleUploadInput } from './change-files.ts'
import { handleAcknowledge, handleCancelRun, handleDecide, handleRetryRun } from './change-runs.ts'
import { handleBackfill, handlePause, handleResume, handleWithdraw } from './change-schedules.ts'
import {
  handleLookNow,
  handlePauseDeployment,
  handleResumeDeployment,
  handleRollBackTo,
  handleShowChanges,
  handleShowDeployment,
} from './deployments.ts'
import { serviceHandlers } from './embedded-service.ts'
import { handleListFigures } from './list-figures.ts'
import { handleListFiles, handleListSlots } from './list-slots.ts'
import {
  handleCompareRuns,
  handleFollowEvents,
  handleListEvents,
  handleListHours,
  handleListRuns,
  handleListSteps,
  handleShowDocument,
  handleShowRun,
} from './read-runs.ts'
import { handleShowOverview } from './show-overview.ts'
import { handleListPipelines, handleShowPipeline } from './show-pipelines.ts'
import { handleMakePlan, handleStartRun } from './start-run.ts'
import {
  handleDrain,
  handleEndSession,
  handleListAudit,
  handleListWorkers,
  handleMute,
  handleShowMe,
  handleUndrain,
  handleUnmute,
} from './system.ts'

export const apiHandlers: ApiHandlers = {
  'overview.get': handleShowOverview,
  'me.get': handleShowMe,
  'runs.list': handleListRuns,
  'runs.get': handleShowRun,
  'runs.steps': handleListSteps,
  'runs.document': handleShowDocument,
  'runs.logs': handleListEvents,
  'runs.events': handleFollowEvents,
  'runs.compare': handleCompareRuns,
  'runs.start': handleStartRun,
  'runs.decide': handleDecide,
  'runs.cancel': handleCancelRun,
  'runs.acknowledge': handleAcknowledge,
  'runs.retry': handleRetryRun,
  'hours.list': handleListHours,
  'pipelines.list': handleListPipelines,
  'pipelines.get': handleShowPipeline,
  'pipelines.figures': handleListFigures,
  'mutes.add': handleMute,
  'mutes.end': handleUnmute,
  'workers.drain': handleDrain,
  'workers.undrain': handleUndrain,
  'slots.list': handleListSlots,
  'files.list': handleListFiles,
  'audit.list': handleListAudit,
  'workers.list': handleListWorkers,
  'plan.make': handleMakePlan,
  'schedules.pause': handlePause,
  'schedules.resume': handleResume,
  'schedules.backfill': handleBackfill,
  'schedules.withdraw': handleWithdraw,
  'files.retry': handleRetryFile,
  'files.upload': handleUploadFile,
  'uploads.add': handleUploadInput,
  'deployment.get': handleShowDeployment,
  'deployment.changes': handleShowChanges,
  'deployment.rollback': handleRollBackTo,
  'deployment.pause': handlePauseDeployment,
  'deployment.resume': handleResumeDeployment,
  'deployment.look': handleLookNow,
  ...serviceHandlers,
  'session.end': handleEndSession,
}
