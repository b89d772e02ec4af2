import type { ApiHandlers } from '../call.ts'
import { fileHandlers } from './change-files.ts'
import { runHandlers } from './change-runs.ts'
import { scheduleHandlers } from './change-schedules.ts'
import { deploymentHandlers } from './deployments.ts'
import { serviceHandlers } from './embedded-service.ts'
import { figureHandlers } from './list-figures.ts'
import { slotHandlers } from './list-slots.ts'
import { readHandlers } from './read-runs.ts'
import { overviewHandlers } from './show-overview.ts'
import { pipelineHandlers } from './show-pipelines.ts'
import { startHandlers } from './start-run.ts'
import { systemHandlers } from './system.ts'

export const apiHandlers: ApiHandlers = {
  ...overviewHandlers,
  ...readHandlers,
  ...startHandlers,
  ...runHandlers,
  ...pipelineHandlers,
  ...figureHandlers,
  ...slotHandlers,
  ...scheduleHandlers,
  ...fileHandlers,
  ...deploymentHandlers,
  ...systemHandlers,
  ...serviceHandlers,
}
