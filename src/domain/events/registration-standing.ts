import type { EventOfViewer } from './public-events.ts'

type Standing = 'canceled' | 'registered' | 'attended' | 'over' | 'paid' | 'full' | 'open'

/** Where a viewer stands with an event. Who registers for a paid one pays at the school. */
export function registrationStanding(event: EventOfViewer): Standing {
  if (event.state === 'canceled') return 'canceled'
  if (event.registration !== null) return event.registration.state
  if (event.isOver) return 'over'
  if (event.priceAmount > 0) return 'paid'
  const isFull = event.capacity !== null && event.registrationCount >= event.capacity
  return isFull ? 'full' : 'open'
}
