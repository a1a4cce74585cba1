import type { EventOfViewer } from './public-events.ts'

type Standing = 'canceled' | 'registered' | 'attended' | 'over' | 'paid' | 'full' | 'open'

/** Where a viewer stands with an event. Who registers for a paid one pays at the school. */
export function registrationStanding(event: EventOfViewer): Standing {
  if (event.state === 'canceled') return 'canceled'
  if (event.registration?.state === 'attended') return 'attended'
  if (event.isOver) return 'over'
  if (event.registration !== null) return 'registered'
  if (event.capacity !== null && event.registrationCount >= event.capacity) return 'full'
  return event.priceAmount > 0 ? 'paid' : 'open'
}
