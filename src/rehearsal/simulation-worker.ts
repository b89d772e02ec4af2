import { liveDays } from './simulation/live-days.ts'
import { workForParent } from './work-for-parent.ts'

/* The process of a simulation. */

await workForParent(liveDays)
