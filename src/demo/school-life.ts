import { addCatalogue } from './catalogue.ts'
import { classmateStories } from './classmates.ts'
import { addClients } from './clients.ts'
import { addComments } from './comments.ts'
import { addServices, addStudyGroups } from './consulting.ts'
import type { MemberStory } from './content/school-content.ts'
import { addCourses } from './courses.ts'
import { addEnrollments } from './enrollments.ts'
import { addEvents, addRegistrations } from './events.ts'
import { addLearningDays } from './learning-days.ts'
import { addMeetings } from './meetings.ts'
import { addProductAccesses, addSubscriptions } from './memberships.ts'
import { addNotificationSubscriptions, addNotifications } from './notifications.ts'
import { addMembers } from './people.ts'
import { addPublications } from './publications.ts'
import { addPurchases } from './purchases.ts'
import type { Stage } from './stage.ts'

/** Everything that happens at a school. */
export function addSchoolLife(stage: Stage): void {
  addMembers(stage)
  addClients(stage)
  addCourses(stage)
  addComments(stage)
  addCatalogue(stage)
  addEvents(stage)
  addServices(stage)
  addStudyGroups(stage)
  addMeetings(stage)
  addPublications(stage)
  for (const story of stage.school.members) {
    addStory(stage, story)
    addNotificationSubscriptions(stage, story)
  }
  for (const story of classmateStories(stage.school)) addStory(stage, story)
}

function addStory(stage: Stage, story: MemberStory): void {
  const { who } = story
  const learned = addEnrollments(stage, who, story.enrollments ?? [])
  if (story.enrollments !== undefined) addLearningDays(stage, who, learned)
  addProductAccesses(stage, who, story.products ?? [])
  addRegistrations(stage, who, story.registrations ?? [])
  addSubscriptions(stage, who, story.subscriptions ?? [])
  addPurchases(stage, who, story.purchases)
  addNotifications(stage, who, story.notifications)
}
