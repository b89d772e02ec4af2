import { liveDays } from './simulation/live-days.ts'
import { workForParent } from './work-for-parent.ts'

/* The process of a simulation. */

// The world of a simulation needs the service, which loads while the parent reads documents.
void import('../service/start-service.ts')
await workForParent(liveDays)
