import type { FrozenStatic } from '../../api/api-operation.ts'
import type { ApiOperationId, ApiOperations } from '../../api/operations.ts'

type AnyOperation = ApiOperations[ApiOperationId]
type WithMethod<Method extends 'GET' | 'POST'> = Extract<AnyOperation, { readonly method: Method }>

export type GetPath = WithMethod<'GET'>['path']
export type PostPath = WithMethod<'POST'>['path']
/** The paths of operations whose body is a file. */
export type UploadPath = '/files/{pipeline}/{trigger}' | '/pipelines/{pipeline}/uploads'
type OperationAt<Method extends 'GET' | 'POST', Path> = Extract<WithMethod<Method>, { readonly path: Path }>

export type GetInput<Path extends GetPath> = FrozenStatic<OperationAt<'GET', Path>['input']>
export type GetAnswer<Path extends GetPath> = FrozenStatic<OperationAt<'GET', Path>['output']>
export type PostInput<Path extends PostPath> = FrozenStatic<OperationAt<'POST', Path>['input']>
export type PostAnswer<Path extends PostPath> = FrozenStatic<OperationAt<'POST', Path>['output']>

export type RunItem = GetAnswer<'/runs'>['runs'][number]
export type RunDetail = GetAnswer<'/runs/{runId}'>
export type StepItem = GetAnswer<'/runs/{runId}/steps'>['steps'][number]
export type GraphStepItem = GetAnswer<'/runs/{runId}/document'>['steps'][number]
export type Comparison = GetAnswer<'/runs/{runId}/compare/{other}'>
export type DiffLine = Comparison['document']['diff'][number]
export type Overview = GetAnswer<'/overview'>
export type Me = GetAnswer<'/me'>
export type PipelineItem = GetAnswer<'/pipelines'>['pipelines'][number]
export type PipelineDetail = GetAnswer<'/pipelines/{pipeline}'>
export type InputItem = PipelineDetail['inputs'][number]
export type FieldItem = NonNullable<InputItem['fields']>[number]
export type FigureSeries = GetAnswer<'/pipelines/{pipeline}/figures'>['series'][number]
export type ScheduleItem = GetAnswer<'/slots'>['schedules'][number]
export type RemovedScheduleItem = GetAnswer<'/slots'>['removed'][number]
export type AfterItem = GetAnswer<'/slots'>['after'][number]
export type SlotItem = GetAnswer<'/slots'>['slots'][number]
export type ComingSlotItem = GetAnswer<'/slots'>['coming'][number]
export type FolderItem = GetAnswer<'/files'>['folders'][number]
export type FileItem = GetAnswer<'/files'>['files'][number]
export type AuditItem = GetAnswer<'/audit'>['entries'][number]
export type DeploymentDetail = GetAnswer<'/deployment'>
export type Deployed = DeploymentDetail['deployments'][number]
export type CommitChanges = GetAnswer<'/deployment/commits/{commit}'>
export type System = GetAnswer<'/workers'>
export type ServiceParticipant = GetAnswer<'/service/participants'>['participants'][number]
export type ServiceGroup = GetAnswer<'/service/groups'>['groups'][number]
export type ServiceSegment = GetAnswer<'/service/segments'>['segments'][number]
export type ServiceMatch = GetAnswer<'/service/matches'>['matches'][number]
export type ServiceActivation = GetAnswer<'/service/activations'>['activations'][number]
export type ServiceJob = GetAnswer<'/service/jobs'>['jobs'][number]
export type ServiceRequest = GetAnswer<'/service/requests'>['requests'][number]
export type ServiceClockState = GetAnswer<'/service/clock'>
export type Fault = GetAnswer<'/service/faults'>['faults'][number]
export type FaultInput = PostInput<'/service/faults'>
export type FaultChoice = GetAnswer<'/service/faults'>['operations'][number]
