import { courseId } from './courses.ts'
import { personId } from './people.ts'
import { idAt, type Stage } from './stage.ts'

export function addServices(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, service] of school.services.entries()) {
    const service_id = idAt(stage, 'service', service.key)
    rows.add('consulting_services', {
      school_id: schoolId,
      id: service_id,
      title: service.title,
      description: service.description,
      host_id: personId(service.host),
      state: service.paused === true ? 'paused' : 'offered',
      created_at: clock.at(-400 + i),
    })
    for (const course of service.courses) {
      const course_id = courseId(stage, course)
      rows.add('consulting_service_courses', { school_id: schoolId, service_id, course_id })
    }
    for (const [s, slot] of service.slots.entries()) {
      rows.add('consulting_slots', {
        school_id: schoolId,
        id: idAt(stage, 'slot', `${service.key}/${s}`),
        service_id,
        weekday: slot.weekday,
        starts_at: `${slot.time}:00`,
        duration_minutes: slot.minutes,
        time_zone: school.timeZone,
        capacity: slot.capacity,
      })
    }
  }
}

export function addStudyGroups(stage: Stage): void {
  const { school, schoolId, clock, rows } = stage
  for (const [i, group] of school.studyGroups.entries()) {
    const group_id = idAt(stage, 'study-group', group.key)
    rows.add('study_groups', {
      school_id: schoolId,
      id: group_id,
      name: group.name,
      course_id: courseId(stage, group.course),
      created_at: clock.at(-200 + i),
    })
    for (const member of group.members) {
      const joined_at = clock.at(-190)
      const user_id = personId(member)
      rows.add('study_group_members', { school_id: schoolId, group_id, user_id, joined_at })
    }
  }
}
