import { anOrder, aPayment } from './billing.ts'
import { aMeeting, aService, aStudyGroup, hoursFromNow } from './consulting.ts'
import { aNotification } from './inbox.ts'
import { aCourse, anEnrollment, aProductOf, aRegistration, someProgress } from './learning.ts'
import type { TestPerson, TestSchool } from './world.ts'

/** Gives a member this many of every object that the Member API shows. */
export async function giveEverything(
  school: TestSchool,
  member: TestPerson,
  times: number,
): Promise<void> {
  const orderId = await anOrder(school, member)
  const group = await aStudyGroup(school, [member])
  for (let n = 1; n <= times; n++) {
    const course = await aCourse(school, [[{}, {}], [{}]])
    await anEnrollment(school, member, course)
    await someProgress(school, member, course, course.lectures[0]?.[0] ?? '', 'completed')
    const service = await aService(school, [course])
    await aMeeting(school, { service, seats: [member], start: hoursFromNow(n) })
    await aMeeting(school, { group, start: hoursFromNow(n) })
    await aPayment(school, member, { orderId, lines: [{ title: 'x', amount: 1 }] })
    await aProductOf(school, member)
    await aRegistration(school, member)
    await aNotification(school, member)
  }
}
