"""ministack with two doors that the real services have for AWS itself and not for a caller; only the lab's front uses them.

- A machine that Auto Scaling launches: the lab's model chooses its id, its zone and its tags, EC2 shows it.
- An event of an AWS service: PutEvents refuses the source `aws.*` from everybody else.
"""

from unittest import mock

from ministack.app import main
from ministack.services import ec2, eventbridge


def launch(parameters):
    def given(name):
        return ec2._p(parameters, name)

    with mock.patch.object(ec2, "_new_instance_id", return_value=given("InstanceId")):
        [instance] = ec2._launch_instances_internal(
            image_id="ami-00000000000000000", instance_type="t3.micro", subnet_id=ec2._DEFAULT_SUBNET_ID, count=1
        )
    instance["Placement"]["AvailabilityZone"] = given("AvailabilityZone")
    count = int(given("TagCount"))
    ec2._tags[instance["InstanceId"]] = [
        {"Key": given(f"Tag.{number}.Key"), "Value": given(f"Tag.{number}.Value") or ""}
        for number in range(1, count + 1)
    ]
    return ec2._xml(200, "LabLaunchInstanceResponse", "")


put_events = eventbridge._put_events


def put_events_of_aws(data, allow_aws_source=False):
    return put_events(data, allow_aws_source or data.get("LabIsAws") is True)


ec2._ACTION_MAP["LabLaunchInstance"] = launch
eventbridge._put_events = put_events_of_aws

main()
