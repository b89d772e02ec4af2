import type { ApiAnswerOf, ApiInputOf, ApiOperationId, ApiOperations } from '../../api/operations.ts'

type IdWith<Facts> = { [Id in ApiOperationId]: ApiOperations[Id] extends Facts ? Id : never }[ApiOperationId]

/** Operations that read. */
export type ReadId = IdWith<{ readonly method: 'GET' }>
/** Operations whose body is a file. */
export type UploadId = IdWith<{ readonly upload: true }>
/** Operations that do something, with the fields of a JSON body. */
export type ActId = Exclude<ApiOperationId, ReadId | UploadId>

export type RunItem = ApiAnswerOf<'runs.list'>['runs'][number]
export type RunDetail = ApiAnswerOf<'runs.get'>
export type StepItem = ApiAnswerOf<'runs.steps'>['steps'][number]
export type GraphStepItem = ApiAnswerOf<'runs.document'>['steps'][number]
export type Comparison = ApiAnswerOf<'runs.compare'>
export type DiffLine = Comparison['document']['diff'][number]
export type Overview = ApiAnswerOf<'overview.get'>
export type Me = ApiAnswerOf<'me.get'>
export type PipelineItem = ApiAnswerOf<'pipelines.list'>['pipelines'][number]
export type PipelineDetail = ApiAnswerOf<'pipelines.get'>
export type InputItem = PipelineDetail['inputs'][number]
export type FieldItem = NonNullable<InputItem['fields']>[number]
export type FigureSeries = ApiAnswerOf<'pipelines.figures'>['series'][number]
export type ScheduleItem = ApiAnswerOf<'slots.list'>['schedules'][number]
export type RemovedScheduleItem = ApiAnswerOf<'slots.list'>['removed'][number]
export type AfterItem = ApiAnswerOf<'slots.list'>['after'][number]
export type SlotItem = ApiAnswerOf<'slots.list'>['slots'][number]
export type ComingSlotItem = ApiAnswerOf<'slots.list'>['coming'][number]
export type FolderItem = ApiAnswerOf<'files.list'>['folders'][number]
export type FileItem = ApiAnswerOf<'files.list'>['files'][number]
export type AuditItem = ApiAnswerOf<'audit.list'>['entries'][number]
export type DeploymentDetail = ApiAnswerOf<'deployment.get'>
export type Deployed = DeploymentDetail['deployments'][number]
export type CommitChanges = ApiAnswerOf<'deployment.changes'>
export type System = ApiAnswerOf<'workers.list'>
export type ServiceParticipant = ApiAnswerOf<'service.participants.list'>['participants'][number]
export type ServiceGroup = ApiAnswerOf<'service.groups.list'>['groups'][number]
export type ServiceSegment = ApiAnswerOf<'service.segments.list'>['segments'][number]
export type ServiceMatch = ApiAnswerOf<'service.matches.list'>['matches'][number]
export type ServiceActivation = ApiAnswerOf<'service.activations.list'>['activations'][number]
export type ServiceJob = ApiAnswerOf<'service.jobs.list'>['jobs'][number]
export type ServiceRequest = ApiAnswerOf<'service.requests.list'>['requests'][number]
export type ServiceClockState = ApiAnswerOf<'service.clock.get'>
export type Fault = ApiAnswerOf<'service.faults.list'>['faults'][number]
export type FaultInput = ApiInputOf<'service.faults.add'>
export type FaultChoice = ApiAnswerOf<'service.faults.list'>['operations'][number]
