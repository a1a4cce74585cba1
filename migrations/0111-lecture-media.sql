-- A lecture has a video by its address, or a file; a school names the hosts from which videos are played on its pages.

alter table lectures add column video_url text;
comment on column lectures.video_url is 'https; played on the page if the school names its host, else a link';
alter table lectures add column file_id uuid;
comment on column lectures.file_id is 'what students download';
-- allow adds-constraint lectures.lectures_school_id_file_id_fkey: the version before leaves the new column empty
alter table lectures add constraint lectures_school_id_file_id_fkey
  foreign key (school_id, file_id) references files (school_id, id) not valid;

alter table schools add column video_hosts text[] not null default '{}';
comment on column schools.video_hosts is 'hosts from which lectures play videos on the page';
